#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grammar fits today's sources; the list of equivalent mutants fits the grammar."""

import json
import unittest
from pathlib import Path

import mutant_rules
import run_mutants

LEAST_MUTANTS = 40
FAMILIES = {"wait", "barrier", "phase", "predicate", "offset", "order", "fragment", "epilogue",
            "plan", "weights"}
MUTANTS = mutant_rules.all_mutants()


class MutantRules(unittest.TestCase):

    def test_every_rule_matches_and_rules_have_names_of_their_own(self):
        for rule in mutant_rules.RULES:
            with self.subTest(rule=rule.name):
                for file in rule.files:
                    self.assertTrue((mutant_rules.ROOT / file).is_file())
                    self.assertTrue([mutant for mutant in mutant_rules.mutants_of(rule)
                                     if mutant.file == file])
        self.assertEqual({rule.family for rule in mutant_rules.RULES}, FAMILIES)
        self.assertGreaterEqual(len(MUTANTS), LEAST_MUTANTS)
        self.assertEqual(len({mutant.name for mutant in MUTANTS}), len(MUTANTS))

    def test_every_mutant_changes_its_place_and_no_other(self):
        seen = set()
        for mutant in MUTANTS:
            with self.subTest(mutant=mutant.name):
                text = (mutant_rules.ROOT / mutant.file).read_text(encoding="utf-8")
                changed = mutant.apply(text)
                self.assertNotEqual(changed, text)
                self.assertEqual(changed[:mutant.start], text[:mutant.start])
                rest = text[mutant.start + len(mutant.before):]
                self.assertEqual(changed[len(changed) - len(rest):], rest)
                with self.assertRaises(ValueError):
                    mutant.apply("x" + text)
                self.assertNotIn((mutant.file, changed), seen, "another mutant is the same")
                seen.add((mutant.file, changed))

    def test_comments_and_assertions_are_left_alone(self):
        for mutant in MUTANTS:
            text = (mutant_rules.ROOT / mutant.file).read_text(encoding="utf-8")
            line = text[text.rfind("\n", 0, mutant.start) + 1:mutant.start]
            self.assertNotIn("//", line, mutant.name)
            self.assertNotIn("static_assert", line, mutant.name)

    def test_every_equivalent_mutant_exists_and_has_a_proof(self):
        path = Path(__file__).with_name("equivalent.json")
        by_name = {mutant.name: mutant for mutant in MUTANTS}
        for name, entry in json.loads(path.read_text(encoding="utf-8")).items():
            with self.subTest(mutant=name):
                self.assertIn(name, by_name)
                self.assertEqual(entry["change"], run_mutants.change(by_name[name]))
                self.assertGreaterEqual(len(entry["proof"].split()), 12)


class RunMutants(unittest.TestCase):

    def test_a_seed_makes_a_choice_with_every_rule(self):
        count = len(mutant_rules.RULES)
        chosen = run_mutants.choose(5, count, "")
        self.assertEqual(chosen, run_mutants.choose(5, count, ""))
        self.assertNotEqual(chosen, run_mutants.choose(6, count, ""))
        self.assertEqual({mutant.rule.name for mutant in chosen},
                         {rule.name for rule in mutant_rules.RULES})
        self.assertEqual(len(run_mutants.choose(5, 0, "")), len(MUTANTS))

    def test_survivors_false_proofs_and_what_does_not_compile_are_failures(self):
        mutant = MUTANTS[0]
        caught = run_mutants.Outcome(mutant, True, "simt Race", "")
        survived = run_mutants.Outcome(mutant, False, "", "")
        invalid = run_mutants.Outcome(mutant, False, "does not compile", "", is_valid=False)
        listed = {mutant.name: {}}
        self.assertEqual([run_mutants.judge(*case)[1] for case in
                          [(caught, {}), (survived, listed), (survived, {}), (caught, listed),
                           (invalid, {}), (invalid, listed)]],
                         [False, False, True, True, True, True])

    def test_the_first_failure_says_what_caught_the_mutant(self):
        self.assertEqual(run_mutants.explain_failure(
            "a.cc:9: Failure\nValue of: report.Ok()\n  Actual: false\nExpected: true\n"
            "fp16, tile: Race: block 0, thread 3\n[  FAILED  ] A.B\n"),
            ("simt Race", "block 0, thread 3"))
        self.assertEqual(run_mutants.explain_failure(
            "a.cc:9: Failure\nValue of: x\nframe 0: raw 6, expected -2 within 0\n\n[  FAILED  ]"),
            ("wrong value", "frame 0: raw 6, expected -2 within 0"))


if __name__ == "__main__":
    unittest.main()
