#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_serve.sh starts a server and prints a command that decodes something on it."""
import os
import shlex
import signal
import subprocess
import tempfile
import unittest

import processes
from processes import DEMO, LIMIT_S

SCRIPT = os.path.join(DEMO, "run_serve.sh")


class RunServeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="causeway e2e ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def serve(self, *arguments):
        return subprocess.Popen(
            [SCRIPT, processes.BIN, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, cwd=self.folder, env={**os.environ, "TMPDIR": self.folder})

    def test_the_command_that_it_prints_works(self):
        server = self.serve("--listen", "127.0.0.1:0")
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.kill)
        line = next(line for line in server.stderr if line.startswith("try: "))
        words = shlex.split(line.removeprefix("try: "))
        # The first of the clip's latents do.
        latents = os.path.join(self.folder, "latents.safetensors")
        processes.first_latents(latents, 1)
        words[words.index("--latents") + 1] = latents
        result = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S,
                                cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(os.path.getsize(os.path.join(self.folder, "video.mp4")), 0)
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=LIMIT_S)
        self.assertEqual(server.returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["latents.safetensors", "video.mp4"])

    def test_arguments_reach_the_server(self):
        server = self.serve("--no-such-flag")
        _, err = server.communicate(timeout=LIMIT_S)
        self.assertEqual(server.returncode, 2)
        self.assertIn("--no-such-flag", err)
        self.assertNotIn("try:", err)
        printed = self.serve("--print-config")
        printed.communicate(timeout=LIMIT_S)
        self.assertEqual(printed.returncode, 0)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
