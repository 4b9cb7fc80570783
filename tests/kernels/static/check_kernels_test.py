#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The static checks on recorded output of the tools, and with each violation planted."""
import collections
import dataclasses
import unittest

import check_kernels
import kernel_budget
from compiler_reports import Resources, read_ptxas, read_sass

NAME = ("_ZN8causeway7kernels8portable22portable_conv3d_kernelINS1_10Fp16TraitsENS1_12PortableTile"
        "ILi16ELi16ELi8ELi1ELi2ELi12ELi4ELi3EEEEEvNS1_18Conv3dKernelParamsE")
TILE = (16, 16, 8, 1, 2, 12, 4, 3)

# Of nvcc 13.0, shortened to one kernel.
PTXAS = f"""ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{NAME}' for 'sm_80'
ptxas info    : Function properties for {NAME}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 198 registers, used 1 barriers, 456 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 433.619 ms
"""

# Of cuobjdump 13.2, a few lines of each kind.
SASS = f"""
\tcode for sm_80
\t\tFunction : {NAME}
\t.headerflags\t@"EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;  /* 0x00000a00ff017624 */
                                                                            /* 0x000fe400078e00ff */
        /*0010*/              @!P0 LDGSTS.E.BYPASS.128 [R5], [R2.64] ;      /* 0x0000000002057fae */
        /*0020*/                   LDGSTS.E.BYPASS.128.ZFILL [R5], [R2.64], P1 ; /* 0x00002057fae */
        /*0030*/              @UP1 LDSM.16.M88.4 R8, [R4] ;                 /* 0x000000000408783b */
        /*0040*/                   HMMA.16816.F32 R4, R8, R10, R4 ;         /* 0x0000000a0804723c */
        /*10050*/                  HMMA.16816.F32 R4, R8, R10, R4 ;         /* 0x0000000a0804723c */
        /*10060*/                  EXIT ;                                   /* 0x000000000000794d */
\t\t..........
"""

HEADER = """#define CAUSEWAY_CONV3D_BUDGETS(X)
  X(16, 16, 8, 1, 2, 12, 4, 3, 200, 208, 59904)
"""
ARCHITECTURE = '{"sm_80", 80, 163 * kKiB, 164 * kKiB, 65536, 2048},'
BUDGET = kernel_budget.read_budgets(HEADER)[TILE]
GOOD = Resources(registers=198, stack=0, spill_stores=0, spill_loads=0, static_shared=0)
# 2 x 12 products of 2 steps; 2 + 6 fragment loads of 2 steps.
COUNTS = collections.Counter({"HMMA.16816.F32": 48, "LDSM.16.M88.4": 16,
                              "LDGSTS.E.BYPASS.128": 12, "LDGSTS.E.BYPASS.128.ZFILL": 7,
                              "EXIT": 1})


def problems(resources=GOOD, element="fp16", **changed):
    """Problems with some instructions counted otherwise; `_` in a keyword stands for `.`."""
    counts = collections.Counter(COUNTS)
    counts.update({name.replace("_", "."): n for name, n in changed.items()})
    return kernel_budget.problems_of(BUDGET, element, resources, counts)


class Reports(unittest.TestCase):
    def test_ptxas_is_read(self):
        self.assertEqual(read_ptxas(PTXAS), {NAME: GOOD})

    def test_spills_and_static_shared_memory_are_read(self):
        text = PTXAS.replace("    0 bytes stack frame, 0 bytes spill stores, 0 bytes",
                             "    40 bytes stack frame, 36 bytes spill stores, 32 bytes")
        text = text.replace("1 barriers,", "1 barriers, 1024 bytes smem,")
        self.assertEqual(read_ptxas(text)[NAME], Resources(198, 40, 36, 32, 1024))

    def test_a_kernel_without_its_figures_is_refused(self):
        for missing in ("    0 bytes stack", "ptxas info    : Used"):
            lines = [line for line in PTXAS.splitlines() if not line.startswith(missing)]
            with self.assertRaisesRegex(ValueError, "ptxas gave no"):
                read_ptxas("\n".join(lines))

    def test_sass_is_counted_by_instruction(self):
        counts = read_sass(SASS.splitlines())
        self.assertEqual(list(counts), [NAME])
        self.assertEqual(counts[NAME], {
            "IMAD.MOV.U32": 1, "LDGSTS.E.BYPASS.128": 1, "LDGSTS.E.BYPASS.128.ZFILL": 1,
            "LDSM.16.M88.4": 1, "HMMA.16816.F32": 2, "EXIT": 1})

    def test_the_name_tells_type_and_tile(self):
        self.assertEqual(kernel_budget.identify(NAME), ("fp16", TILE))
        self.assertIsNone(kernel_budget.identify("_Z6kernelPf"))


class Budgets(unittest.TestCase):
    def test_the_table_is_read(self):
        self.assertEqual(BUDGET.registers("fp16"), 200)
        self.assertEqual(BUDGET.registers("bf16"), 200)
        self.assertEqual(BUDGET.registers("tf32"), 208)
        self.assertEqual(BUDGET.shared_bytes, 59904)
        self.assertEqual(BUDGET.threads, 256)

    def test_a_row_of_another_length_is_refused(self):
        with self.assertRaisesRegex(ValueError, "10 numbers, allowed: 11"):
            kernel_budget.read_budgets(HEADER.replace(", 59904", ""))
        with self.assertRaisesRegex(ValueError, "no X"):
            kernel_budget.read_budgets("")

    def test_limits_are_read(self):
        self.assertEqual(kernel_budget.read_shared_limits(ARCHITECTURE), {"80": 163 * 1024})
        with self.assertRaises(ValueError):
            kernel_budget.read_shared_limits("")


class Violations(unittest.TestCase):
    def test_a_good_kernel_has_none(self):
        self.assertEqual(problems(), [])

    def test_each_resource_is_held_to_its_budget(self):
        for field, value, what in (("registers", 201, "registers: got 201, allowed: 200"),
                                   ("stack", 8, "stack frame: got 8 bytes"),
                                   ("spill_stores", 4, "spill stores: got 4 bytes"),
                                   ("spill_loads", 4, "spill loads: got 4 bytes"),
                                   ("static_shared", 64, "static shared memory: got 64 bytes")):
            found = problems(dataclasses.replace(GOOD, **{field: value}))
            self.assertEqual(len(found), 1, found)
            self.assertIn(what, found[0])

    def test_a_block_has_to_fit_a_multiprocessor(self):
        wide = dataclasses.replace(BUDGET, registers_16=264)
        found = kernel_budget.problems_of(wide, "fp16", dataclasses.replace(GOOD, registers=264),
                                          COUNTS)
        self.assertEqual(found, ["registers of a block: got 67584, allowed: 65536"])

    def test_local_memory_is_found_whatever_its_modifiers(self):
        for name in ("LDL", "LDL_64", "STL", "STL_128"):
            found = problems(**{name: 1})
            self.assertEqual(len(found), 1, found)
            self.assertIn("local memory", found[0])

    def test_a_missing_or_doubled_product_is_found(self):
        for change in (-1, 48):
            self.assertIn("HMMA.16816.F32: got", problems(HMMA_16816_F32=change)[0])
            self.assertIn("LDSM.16.M88.4: got", problems(**{"LDSM_16_M88_4": change})[0])

    def test_products_of_another_type_are_found(self):
        self.assertIn("HMMA.16816.F16: got 3, allowed: 0 (other product)",
                      problems(HMMA_16816_F16=3))
        self.assertIn("HMMA.16816.F32.BF16: got 0, allowed: 48", problems(element="bf16"))
        self.assertIn("HMMA.16816.F32: got 48, allowed: 0 (other product)",
                      problems(element="bf16"))
        self.assertIn("HGMMA.64x96x16.F32: got 1, allowed: 0 (other product)",
                      problems(**{"HGMMA_64x96x16_F32": 1}))

    def test_copies_that_are_not_asynchronous_are_found(self):
        self.assertEqual(len(problems(**{"LDGSTS_E_BYPASS_128_ZFILL": -7})), 1)
        self.assertEqual(len(problems(**{"LDGSTS_E_BYPASS_128": -12})), 1)

    def test_a_budget_that_nothing_needs_is_found(self):
        self.assertIsNone(kernel_budget.slack_problem(BUDGET, "fp16", 193))
        self.assertIn("got 200, allowed: less than 200",
                      kernel_budget.slack_problem(BUDGET, "fp16", 192))


class Judgement(unittest.TestCase):
    budgets = {TILE: dataclasses.replace(BUDGET, registers_16=200)}

    def judge(self, kernels, limits=None):
        return check_kernels.judge({("fp16", "80"): kernels}, self.budgets,
                                   limits or {"80": 166912})

    def test_a_good_kernel_is_one_row_without_problems(self):
        rows, found = self.judge({NAME: (GOOD, COUNTS)})
        self.assertEqual(found, [])
        self.assertEqual(rows, [("16x16px 96ch 8x1 chunk4 stages3", "fp16", "sm_80", "198/200",
                                 "59904", "yes", "0", "48 HMMA.16816.F32", "16", "19")])

    def test_a_tile_beyond_the_shared_memory_is_said_not_to_fit(self):
        rows, _ = self.judge({NAME: (GOOD, COUNTS)}, {"80": 50000})
        self.assertEqual(rows[0][5], "no")

    def test_a_kernel_without_a_budget_is_found(self):
        for name in ("_Z6kernelPf", NAME.replace("Li12E", "Li10E"),
                     NAME.replace("10Fp16", "10Bf16")):
            _, found = self.judge({NAME: (GOOD, COUNTS), name: (GOOD, COUNTS)})
            self.assertEqual(found, [f"fp16 sm_80: {name} has no budget"])

    def test_a_kernel_that_was_not_compiled_is_found(self):
        _, found = self.judge({})
        self.assertEqual(found,
                         ["fp16 sm_80 16x16px 96ch 8x1 chunk4 stages3: was not compiled"])


if __name__ == "__main__":
    unittest.main()
