#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""causeway-server as a process: what it refuses to start with, and how it is stopped."""
import os
import stat
import subprocess
import tempfile
import time
import unittest

from processes import DEMO, LIMIT_S, MODEL, Server, decode_command, program

LATENTS = os.path.join(DEMO, "latents.safetensors")


def start(*flags):
    """Runs a server that is expected to end by itself."""
    return subprocess.run([program("causeway-server"), *flags], capture_output=True, text=True,
                          timeout=LIMIT_S)


def processor_seconds(pid):
    """What a process has used of a processor so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class StartTest(unittest.TestCase):
    def assert_refused(self, code, words, *flags):
        result = start(*flags)
        self.assertEqual(result.returncode, code, result.stderr)
        complaints = [line for line in result.stderr.splitlines() if not line.startswith("ts=")]
        self.assertEqual(len(complaints), 1, result.stderr)
        self.assertTrue(complaints[0].startswith("causeway-server: "), complaints)
        for word in words:
            self.assertIn(word, complaints[0])
        self.assertEqual(result.stdout, "")

    def test_wrong_settings_end_with_code_2_and_one_line(self):
        model = f"demo={MODEL}"
        self.assert_refused(2, ["NAME=PATH"])
        self.assert_refused(2, ["--no-such-flag"], "--model", model, "--no-such-flag")
        self.assert_refused(2, ["threads", "-1"], "--model", model, "--threads", "-1")
        self.assert_refused(2, ["--insecure"], "--model", model, "--listen", "0.0.0.0:0")
        self.assert_refused(2, ["admin-listen", "--insecure"], "--model", model,
                            "--admin-listen", "0.0.0.0:0")
        self.assert_refused(2, ["allow-geometry", "HEIGHTxWIDTH"], "--model", model,
                            "--allow-geometry", "10x10")
        self.assert_refused(2, ["quantum"], "--model", model, "--backend", "quantum")
        self.assert_refused(2, ["/nonexistent.toml"], "--config", "/nonexistent.toml")

    def test_a_bad_model_ends_with_code_1_and_one_line(self):
        self.assert_refused(1, ["/nonexistent"], "--model", "demo=/nonexistent")
        with tempfile.TemporaryDirectory() as folder:
            self.assert_refused(1, [folder], "--model", f"demo={folder}")

    def test_a_taken_port_ends_with_code_1_and_one_line(self):
        with Server() as server:
            self.assert_refused(1, [server.address], "--model", f"demo={MODEL}", "--listen",
                                server.address)

    def test_settings_can_be_checked_and_printed_without_a_start(self):
        model = ["--model", "demo=/nonexistent"]
        self.assertEqual(start(*model, "--check-config").returncode, 0)
        printed = start(*model, "--print-config", "--max-sessions", "3")
        self.assertEqual(printed.returncode, 0)
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(printed.stdout)
            file.flush()
            again = start("--config", file.name, "--print-config")
        self.assertEqual(again.stdout, printed.stdout)
        self.assertIn("max-sessions = 3", again.stdout)


class StopTest(unittest.TestCase):
    def busy_client(self, server):
        """A client whose latents are being decoded, with many seconds of them left."""
        client = subprocess.Popen(
            decode_command(server.address, LATENTS, "--chunk", "25"), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(client.stderr.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        deadline = time.monotonic() + LIMIT_S
        while "event=session_opened" not in server.log():
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(client.poll())
        # Nothing but decoding takes this much of a processor.
        idle = processor_seconds(server.process.pid)
        while processor_seconds(server.process.pid) < idle + 0.3:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(client.poll())
        return client

    def test_the_grace_bounds_how_long_a_stop_takes(self):
        with Server("--grace-seconds", "0") as server:
            client = self.busy_client(server)
            self.assertEqual(server.stop(), 0)
            self.assertNotEqual(client.wait(timeout=LIMIT_S), 0)
            self.assertIn("event=stopped drained=false", server.log())

    def test_a_second_signal_stops_at_once(self):
        with Server("--grace-seconds", "3600") as server:
            client = self.busy_client(server)
            server.process.terminate()
            deadline = time.monotonic() + LIMIT_S
            while "event=draining" not in server.log():
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(server.stop(), 0)
            self.assertNotEqual(client.wait(timeout=LIMIT_S), 0)
            self.assertIn("event=stopping_at_once", server.log())


class SettingsTest(unittest.TestCase):
    def test_admin_listens_where_it_is_told_to_or_not_at_all(self):
        with tempfile.TemporaryDirectory(prefix="causeway e2e ") as folder:
            path = os.path.join(folder, "admin.sock")
            with Server("--admin-listen", f"unix:{path}") as server:
                self.assertTrue(stat.S_ISSOCK(os.stat(path).st_mode))
                self.assertIn("event=admin_listening", server.log())
            with Server("--admin-listen", "none") as server:
                self.assertIn("event=admin_off", server.log())
                self.assertNotIn("event=admin_listening", server.log())

    def test_a_geometry_that_is_not_allowed_is_refused_with_those_that_are(self):
        with Server("--allow-geometry", "64x64,8x16") as server:
            refused = subprocess.run(decode_command(server.address, LATENTS), capture_output=True,
                                     text=True, timeout=LIMIT_S)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("BAD_GEOMETRY", refused.stderr)
            self.assertIn("64x64, 8x16", refused.stderr)
            corner = os.path.join(DEMO, "corner64.safetensors")
            allowed = subprocess.run(decode_command(server.address, corner), capture_output=True,
                                     text=True, timeout=LIMIT_S)
            self.assertEqual(allowed.returncode, 0, allowed.stderr)


if __name__ == "__main__":
    unittest.main()
