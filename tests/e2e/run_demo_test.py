#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_demo.sh ends what it starts, whatever happens. Stand-ins take the place of the programs."""
import os
import signal
import subprocess
import tempfile
import unittest

import processes
from processes import DEMO, LIMIT_S

SCRIPT = os.path.join(DEMO, "run_demo.sh")

# A server that tells its process id and its port, and stays.
STAYING_SERVER = """#!/bin/bash
while [[ $1 != --port-file ]]; do shift; done
echo $$ > "$HERE/server.pid"
echo 12345 > "$2"
exec tail -f /dev/null
"""
FAILING_SERVER = """#!/bin/bash
echo "event=cannot_listen"
exit 1
"""
# A client that tells that it runs, through a pipe that somebody reads, and stays.
STAYING_CLIENT = """#!/bin/bash
echo $$ > "$HERE/client.pipe"
exec tail -f /dev/null
"""
FAILING_CLIENT = """#!/bin/bash
echo "causeway: refused" >&2
exit 1
"""


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class RunDemoTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="causeway e2e ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.scratch = os.path.join(self.folder, "tmp")
        os.mkdir(self.scratch)

    def start(self, server, client):
        for name, text in (("causeway-server", server), ("causeway", client)):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, 0o755)
        return subprocess.Popen(
            [SCRIPT, self.folder, os.path.join(self.folder, "out")],
            env={**os.environ, "HERE": self.folder, "TMPDIR": self.scratch},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def server_pid(self):
        with open(os.path.join(self.folder, "server.pid"), encoding="ascii") as file:
            return int(file.read())

    def test_signals_end_the_server_and_the_client(self):
        pipe = os.path.join(self.folder, "client.pipe")
        os.mkfifo(pipe)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                script = self.start(STAYING_SERVER, STAYING_CLIENT)
                with open(pipe, encoding="ascii") as file:
                    client_pid = int(file.readline())
                server_pid = self.server_pid()
                self.assertTrue(is_running(server_pid))
                script.send_signal(number)
                script.communicate(timeout=LIMIT_S)
                self.assertEqual(script.returncode, 128 + number)
                self.assertFalse(is_running(client_pid))
                self.assertFalse(is_running(server_pid))
                self.assertEqual(os.listdir(self.scratch), [])

    def test_a_failing_client_ends_the_server(self):
        script = self.start(STAYING_SERVER, FAILING_CLIENT)
        _, err = script.communicate(timeout=LIMIT_S)
        self.assertEqual(script.returncode, 1)
        self.assertIn("causeway: refused", err)
        self.assertFalse(is_running(self.server_pid()))
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_server_that_does_not_start_is_reported_with_its_log(self):
        script = self.start(FAILING_SERVER, FAILING_CLIENT)
        _, err = script.communicate(timeout=LIMIT_S)
        self.assertEqual(script.returncode, 1)
        self.assertIn("event=cannot_listen", err)
        self.assertIn("demo: the server ended before it listened", err)
        self.assertEqual(os.listdir(self.scratch), [])

    def test_missing_programs_are_named(self):
        result = subprocess.run([SCRIPT, os.path.join(self.folder, "none")], text=True,
                                capture_output=True, timeout=LIMIT_S)
        self.assertEqual(result.returncode, 1)
        self.assertIn("none/causeway", result.stderr)


if __name__ == "__main__":
    unittest.main()
