#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real server, `causeway decode` and `causeway-bench` in processes of their own: the pixels."""
import json
import os
import struct
import subprocess
import tempfile
import unittest

import processes
from processes import DEMO, Server, decode, read_tensor

CORNER = os.path.join(DEMO, "corner64.safetensors")  # 3 latents of 64x64 pixels, and their frames


class DecodeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="causeway e2e ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def decode_ok(self, latents, *flags):
        result = decode(self.server.address, latents, *flags)
        # A slow machine sees progress, a line every ten seconds, and nothing else.
        complaints = [line for line in result.stderr.splitlines()
                      if not line.startswith("decoded ")]
        self.assertEqual((result.returncode, complaints), (0, []))
        return result.stdout

    def decode_refused(self, latents, *flags, model="demo"):
        """The one line on standard error. Nothing else may be left of the attempt."""
        before = set(os.listdir(self.folder))
        result = decode(self.server.address, latents, "--out", self.path("x.mp4"), *flags,
                        model=model)
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(set(os.listdir(self.folder)), before)
        return result.stderr

    def test_equals_in_process_bit_for_bit_in_every_format_and_any_chunks(self):
        for pixel_format in ("f32", "rgb24", "f16", "i420", "nv12"):
            expected = self.path("expected.safetensors")
            processes.bench_run(CORNER, pixel_format, expected)
            for chunk in ("1", "2", "3"):
                with self.subTest(pixel_format=pixel_format, chunk=chunk):
                    out = self.path("frames.safetensors")
                    self.decode_ok(CORNER, "--pixel-format", pixel_format, "--chunk", chunk,
                                   "--out", out)
                    self.assertEqual(read_tensor(out, "frames"), read_tensor(expected, "frames"))

    def test_equals_in_process_bit_for_bit_on_the_demos_geometry(self):
        latents = self.path("latents.safetensors")
        processes.first_latents(latents, 2)
        expected, out = self.path("expected.safetensors"), self.path("frames.safetensors")
        processes.bench_run(latents, "f32", expected)
        self.decode_ok(latents, "--pixel-format", "f32", "--out", out)
        self.assertEqual(read_tensor(out, "frames"), read_tensor(expected, "frames"))

    def test_equals_diffusers(self):
        """Within 2e-4, the bound of the parity tests; corner64 holds diffusers' fp32 frames."""
        out = self.path("frames.safetensors")
        self.decode_ok(CORNER, "--pixel-format", "f32", "--out", out)
        _, shape, data = read_tensor(out, "frames")
        self.assertEqual(shape, [9, 3, 64, 64])
        _, (channels, frames, height, width), expected = read_tensor(CORNER, "frames")
        plane = height * width * 4
        by_frame = b"".join(expected[(c * frames + f) * plane:][:plane]
                            for f in range(frames) for c in range(channels))
        self.assertLess(processes.worst_difference(data, by_frame), 2e-4)

    def test_axes_and_types_on_the_wire_do_not_change_the_pixels(self):
        """The demo's latents are F16: BF16 would round them, F32 does not."""
        latents, turned = self.path("cthw.safetensors"), self.path("tchw.safetensors")
        processes.first_latents(latents, 2)
        dtype, (channels, count, height, width), data = read_tensor(latents, "latents")
        plane = height * width * 2
        processes.write_tensor(
            turned, "z", dtype, [count, channels, height, width],
            b"".join(data[(c * count + t) * plane:][:plane]
                     for t in range(count) for c in range(channels)))
        frames = []
        for flags in ([latents], [latents, "--dtype", "f32"],
                      [turned, "--key", "z", "--axes", "tchw"]):
            out = self.path("frames.safetensors")
            self.decode_ok(*flags, "--out", out)
            frames.append(read_tensor(out, "frames"))
        self.assertEqual(frames[0], frames[1])
        self.assertEqual(frames[0], frames[2])

    def test_raw_latents_are_not_denormalised_again(self):
        normalised, raw = self.path("n.safetensors"), self.path("r.safetensors")
        self.decode_ok(CORNER, "--out", normalised)
        self.decode_ok(CORNER, "--domain", "raw", "--out", raw)
        self.assertNotEqual(read_tensor(normalised, "frames"), read_tensor(raw, "frames"))

    def test_the_demo_has_its_psnr(self):
        """deploy/demo/README.md: above 55 dB from diffusers' frames, rounded to 8 bit; the first
        frame at 27.11 dB from the source."""
        latents = self.path("latents.safetensors")
        processes.first_latents(latents, 3)
        video, sheet = self.path("a video.mp4"), self.path("a sheet.png")
        report = json.loads(self.decode_ok(
            latents, "--json", "--out", video, "--out", sheet,
            "--source", os.path.join(DEMO, "source.mp4"),
            "--reference", os.path.join(DEMO, "reference.mkv")))
        self.assertEqual((report["frames"], report["height"], report["width"]), (9, 192, 320))
        source, reference = report["psnr"]
        self.assertEqual((source["frames"], reference["frames"]), (9, 9))
        self.assertAlmostEqual(source["first_db"], 27.109, delta=0.05)
        if not reference["identical"]:
            self.assertGreater(reference["overall_db"], 55)
        self.assertGreater(os.path.getsize(video), 0)
        with open(sheet, "rb") as file:
            header = file.read(24)
        # Eight frames in rows of four, each row below its sources.
        self.assertEqual(struct.unpack(">II", header[16:24]), (4 * 320, 4 * 192))
        kernel = {row["category"]: row["ns"] for row in report["kernel"]}
        self.assertGreater(kernel["convolution_or_gemm"], 0)
        self.assertLessEqual(sum(row["ns"] for row in report["kernel"]), report["decode_s"] * 1e9)

    def test_sessions_at_the_same_time_equal_sessions_one_by_one(self):
        latents = self.path("latents.safetensors")
        processes.first_latents(latents, 2)
        inputs = [CORNER, latents, CORNER]
        alone = self.path("alone.safetensors")
        expected = []
        for name in inputs:
            self.decode_ok(name, "--chunk", "1", "--out", alone)
            expected.append(read_tensor(alone, "frames"))
        outs = [self.path(f"{i}.safetensors") for i in range(len(inputs))]
        running = [subprocess.Popen(
            processes.decode_command(self.server.address, name, "--chunk", "1", "--out", out),
            stdout=subprocess.DEVNULL) for name, out in zip(inputs, outs)]
        self.assertEqual([p.wait(timeout=processes.LIMIT_S) for p in running], [0] * len(inputs))
        self.assertEqual([read_tensor(out, "frames") for out in outs], expected)

    def test_nan_latents_are_refused_and_the_server_goes_on(self):
        latents = self.path("nan.safetensors")
        dtype, shape, data = read_tensor(CORNER, "latents")
        for count, what in ((1, "first"), (3, "last")):
            with self.subTest(what):
                poisoned = bytearray(data)
                offset = 0 if what == "first" else len(data) - 4
                poisoned[offset:offset + 4] = struct.pack("<f", float("nan"))
                processes.write_tensor(latents, "latents", dtype, shape, bytes(poisoned))
                line = self.decode_refused(latents, "--chunk", str(count))
                self.assertIn("NON_FINITE_LATENT", line)
                self.assertIn("latents 0 to", line)
        self.decode_ok(CORNER)

    def test_wrong_geometry_is_refused(self):
        wide = self.path("wide.safetensors")
        processes.write_tensor(wide, "latents", "F16", [16, 1, 1, 1025], bytes(16 * 1025 * 2))
        line = self.decode_refused(wide)
        self.assertIn("BAD_GEOMETRY", line)
        self.assertIn("8200", line)
        self.assertIn("8192", line)

    def test_an_unknown_model_is_refused_with_those_that_are_there(self):
        line = self.decode_refused(CORNER, model="other")
        self.assertIn("UNKNOWN_MODEL", line)
        self.assertIn("other", line)
        self.assertIn("demo", line)

    def test_latents_of_another_model_are_refused(self):
        other = self.path("other.safetensors")
        processes.write_tensor(other, "latents", "F16", [48, 2, 4, 4], bytes(48 * 2 * 16 * 2))
        self.assertIn("got 48 channels", self.decode_refused(other))


if __name__ == "__main__":
    unittest.main()
