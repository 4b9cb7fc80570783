#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How frames flow does not change what they are: credits, fragments, checksums, drops, pace."""
import json
import os
import subprocess
import tempfile
import unittest

import processes
from processes import DEMO, Server, decode, read_tensor

CORNER = os.path.join(DEMO, "corner64.safetensors")
FRAME_BYTES = 64 * 64 * 3


class FlowTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="causeway e2e ")
        cls.server = Server()
        # 13 latents of 64x64: 49 frames.
        dtype, (channels, count, height, width), data = read_tensor(CORNER, "latents")
        row = len(data) // channels
        again = b"".join((data[c * row:][:row] * 5)[:row // count * 13] for c in range(channels))
        cls.latents = os.path.join(cls.folder.name, "latents.safetensors")
        processes.write_tensor(cls.latents, "latents", dtype, [channels, 13, height, width], again)
        expected = os.path.join(cls.folder.name, "expected.safetensors")
        processes.bench_run(cls.latents, "rgb24", expected)
        cls.expected = read_tensor(expected, "frames")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def decode(self, *flags):
        """The report, and the frames that came."""
        out = os.path.join(self.folder.name, "frames.safetensors")
        result = decode(self.server.address, self.latents, "--json", "--out", out, *flags)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout), read_tensor(out, "frames")

    def test_every_flow_gives_the_frames_of_the_bench_bit_for_bit(self):
        for flags in (["--credits", "1", "--chunk", "1"],
                      ["--credits", "2", "--chunk", "5", "--pending", "4"],
                      ["--credits", "64", "--chunk", "13"],
                      ["--checksum", "--chunk", "2", "--pending", "3"],
                      ["--message-bytes", "4096", "--chunk", "13", "--checksum"],
                      ["--message-bytes", "1024", "--chunk", "4", "--fragment-bytes", "65536"],
                      ["--pace", "1000", "--chunk", "3"],
                      ["--play", "1000", "--credits", "3"]):
            with self.subTest(flags):
                report, frames = self.decode(*flags)
                self.assertEqual(report["dropped_frames"], [])
                self.assertEqual(frames, self.expected)

    def test_frames_of_several_fragments_are_whole(self):
        latents = os.path.join(self.folder.name, "large.safetensors")
        processes.first_latents(latents, 2)  # 184,320 bytes a frame: three fragments
        expected = os.path.join(self.folder.name, "large_expected.safetensors")
        processes.bench_run(latents, "rgb24", expected)
        out = os.path.join(self.folder.name, "large_frames.safetensors")
        result = decode(self.server.address, latents, "--fragment-bytes", "65536", "--checksum",
                        "--credits", "1", "--out", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_tensor(out, "frames"), read_tensor(expected, "frames"))

    def test_a_slow_reader_misses_the_frames_that_are_announced_and_no_others(self):
        report, (_, shape, data) = self.decode("--delivery", "drop-oldest", "--credits", "1",
                                               "--play", "10", "--chunk", "13")
        dropped = report["dropped_frames"]
        self.assertGreater(len(dropped), 0)
        self.assertEqual(report["frames"] + len(dropped), 49)
        self.assertEqual(shape[0], 49)
        for i in range(49):
            if i not in dropped:
                frame = slice(i * FRAME_BYTES, (i + 1) * FRAME_BYTES)
                self.assertEqual(data[frame], self.expected[2][frame], i)

    def test_a_paced_stream_takes_the_time_of_its_frames(self):
        """The last of 13 latents is due 45 frames after the first: 1.8 s at 25 a second."""
        report, frames = self.decode("--pace", "25", "--chunk", "1")
        self.assertEqual(frames, self.expected)
        self.assertGreaterEqual(report["total_s"], 1.8)

    def test_every_frame_is_a_picture_in_a_folder(self):
        folder = os.path.join(self.folder.name, "pictures") + "/"
        result = decode(self.server.address, self.latents, "--out", folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(os.listdir(folder)), [f"{i:06}.png" for i in range(49)])

    def test_models_are_listed_with_what_a_session_costs(self):
        listed = subprocess.run(
            [processes.program("causeway"), "models", "--server", self.server.address, "--json"],
            capture_output=True, text=True, timeout=processes.LIMIT_S, check=True)
        model, = json.loads(listed.stdout)["models"]
        self.assertEqual((model["name"], model["family"], model["base_width"]),
                         ("demo", "wan21", 16))
        self.assertGreater(model["replay_latents"], 0)
        with Server("--allow-geometry", "64x64") as server:
            table = subprocess.run(
                [processes.program("causeway"), "models", "--server", server.address],
                capture_output=True, text=True, timeout=processes.LIMIT_S, check=True)
            self.assertIn("64x64", table.stdout)
            self.assertIn("MiB", table.stdout)


if __name__ == "__main__":
    unittest.main()
