#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that end, by themselves or not, and what that leaves."""
import os
import pty
import signal
import subprocess
import tempfile
import unittest

import processes
from processes import DEMO, LIMIT_S, Server, decode, read_tensor

CORNER = os.path.join(DEMO, "corner64.safetensors")
LATENTS = os.path.join(DEMO, "latents.safetensors")  # 97 frames: seconds of work


class RunningDecode:
    """A `causeway decode` that has received its first frame and is far from its last."""

    def __init__(self, address, *flags):
        # The progress line, which only a terminal gets, says when frames come.
        terminal, its_end = pty.openpty()
        self.process = subprocess.Popen(
            processes.decode_command(address, LATENTS, "--chunk", "1", *flags),
            stdout=subprocess.DEVNULL, stderr=its_end)
        os.close(its_end)
        self.terminal = terminal
        self.seen = b""
        while b"frames" not in self.seen:
            self.seen += os.read(terminal, 4096)

    def finish(self):
        """Waits for the end; returns the exit code. What it prints must not block it."""
        while True:
            try:
                part = os.read(self.terminal, 4096)
            except OSError:  # EIO: the other end is closed
                part = b""
            if not part:
                break
            self.seen += part
        os.close(self.terminal)
        return self.process.wait(timeout=LIMIT_S)


class LifecycleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="causeway e2e ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_sigterm_and_sigint_end_an_idle_server_with_code_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number), Server() as server:
                self.assertEqual(decode(server.address, CORNER).returncode, 0)
                self.assertEqual(server.stop(number), 0, server.log())

    def test_sigterm_ends_a_busy_server_with_code_0_and_its_client_with_one_line(self):
        with Server() as server:
            out = os.path.join(self.folder, "x.mp4")
            running = RunningDecode(server.address, "--out", out)
            self.assertEqual(server.stop(), 0, server.log())
            self.assertEqual(running.finish(), 1)
            self.assertIn(b"causeway: ", running.seen)
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_killed_client_frees_its_session_at_once(self):
        with Server("--max-sessions", "1") as server:
            running = RunningDecode(server.address)
            refused = decode(server.address, CORNER)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("NO_CAPACITY_SESSIONS", refused.stderr)
            running.process.kill()
            running.finish()
            # The server has to notice, and to end the latent that it is decoding. Each try is a
            # process of its own, which takes its time.
            expected = os.path.join(self.folder, "expected.safetensors")
            processes.bench_run(CORNER, "rgb24", expected)
            out = os.path.join(self.folder, "frames.safetensors")
            for _ in range(200):
                again = decode(server.address, CORNER, "--out", out)
                if again.returncode == 0:
                    break
                self.assertIn("NO_CAPACITY_SESSIONS", again.stderr)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(read_tensor(out, "frames"), read_tensor(expected, "frames"))
            self.assertEqual(server.stop(), 0, server.log())

    def test_an_interrupted_client_leaves_no_file_and_frees_its_session(self):
        with Server("--max-sessions", "1") as server:
            out = os.path.join(self.folder, "x.mp4")
            running = RunningDecode(server.address, "--out", out)
            running.process.send_signal(signal.SIGINT)
            self.assertEqual(running.finish(), 130)
            self.assertIn(b"interrupted", running.seen)
            self.assertEqual(os.listdir(self.folder), [])
            self.assertEqual(server.stop(), 0, server.log())

    def test_a_killed_server_ends_its_client_with_one_line_and_no_file(self):
        with Server() as server:
            out = os.path.join(self.folder, "x.mp4")
            running = RunningDecode(server.address, "--out", out)
            server.stop(signal.SIGKILL)
            self.assertEqual(running.finish(), 1)
            self.assertIn(b"UNAVAILABLE", running.seen)
            self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
