#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""text_rules.py finds each planted fault, and accepts what is right."""
import os
import tempfile
import unittest

import text_rules

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = LICENCE + "#pragma once\n"
# In pieces: this file is itself under the rules.
MACHINE_PATH = "/ro" + "ot/models"
REGISTRY = "pypi." + "org"

# (path, contents, the one problem; None: none)
CASES = [
    ("server/a.cc", LICENCE + "int a;\n", None),
    ("server/a.h", HEADER, None),
    ("run", "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\n", None),
    ("server/a.cc", "int a;\n", "no SPDX licence line"),
    ("server/a.cc", "\n" + LICENCE, "no SPDX licence line"),
    ("server/a.h", LICENCE, "no #pragma once"),
    ("server/a.cc", LICENCE + "int a;", "no newline at the end of the file"),
    ("server/a.cc", LICENCE + "int a;\n\n", "blank lines at the end of the file"),
    ("README.md", "text \n", "white space at the end of the line"),
    ("README.md", "text\r\n", "white space at the end of the line"),
    ("server/a.cc", LICENCE + "\tint a;\n", "a tab"),
    ("server/a.cc", LICENCE + "// " + "x" * 98 + "\n", "101 columns, allowed: 100"),
    ("README.md", "x" * 200 + "\n", None),
    ("server/a.cc", LICENCE + "//\n" * 399, None),
    ("server/a.cc", LICENCE + "//\n" * 400, "401 lines, allowed: 400"),
    ("README.md", f"see {MACHINE_PATH}\n", "a path of one machine"),
    ("README.md", f"see {MACHINE_PATH[1:]}, $HOME{MACHINE_PATH} and .{MACHINE_PATH}\n", None),
    ("README.md", f"from {REGISTRY}\n", "the host name of a package registry"),
]


class TextRules(unittest.TestCase):
    def test_each_planted_fault_is_found(self):
        for path, contents, expected in CASES:
            with self.subTest(path=path, expected=expected):
                found = [what for _, what in text_rules.problems_of(path, contents.encode())]
                self.assertEqual(found, [expected] if expected else [])

    def test_binary_files_are_left_alone(self):
        self.assertEqual(text_rules.problems_of("demo.png", b"\x89\0 \n\n"), [])

    def test_other_encodings_are_refused(self):
        self.assertEqual(text_rules.problems_of("a.md", b"\xe9\n"), [(1, "not UTF-8")])

    def test_a_tree_without_git_is_searched_without_what_was_built(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("build", ".deps", "server"):
                os.mkdir(os.path.join(root, folder))
                with open(os.path.join(root, folder, "a.cc"), "w", encoding="utf-8") as file:
                    file.write("int a;\n")
            self.assertEqual(text_rules.check(root), ["server/a.cc:1: no SPDX licence line"])


if __name__ == "__main__":
    unittest.main()
