# SPDX-License-Identifier: Apache-2.0
"""The grammar of planted bugs: each rule is a pattern and what it may be replaced with.

Every match of a rule's pattern in its files, outside of comments and assertions, gives one mutant a
replacement. A mutant's name is made of its rule, file, match and replacement, so it survives edits
elsewhere in the file. The families follow what goes wrong in such kernels; fences are missing
because cp.async needs none.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PORTABLE = "kernels/conv3d/portable/"
MAINLOOP = PORTABLE + "mainloop.cuh"
EPILOGUE = PORTABLE + "epilogue.cuh"
KERNEL = PORTABLE + "kernel.cuh"
TRAITS = PORTABLE + "element_traits.cuh"
PARAMS = PORTABLE + "params.h"
PLAN = PORTABLE + "launch_plan.cc"
PACKING = "kernels/conv3d/weight_packing.cc"


@dataclass(frozen=True)
class Rule:
    family: str
    name: str
    files: tuple
    pattern: str
    replacements: tuple  # each a template of re.Match.expand, or a function of the match


@dataclass(frozen=True)
class Mutant:
    name: str  # "wait-less:mainloop.cuh:1.1", match and replacement counted from 1
    rule: Rule
    file: str
    line: int
    start: int
    before: str
    after: str

    def apply(self, text):
        end = self.start + len(self.before)
        if text[self.start:end] != self.before:
            raise ValueError(f"{self.name}: {self.file} has changed since the mutants were listed")
        return text[:self.start] + self.after + text[end:]


def exchange(first, second):
    """A replacement that puts each of two words in the other's place."""
    other = {first: second, second: first}
    words = re.compile(f"{re.escape(first)}|{re.escape(second)}")
    return lambda match: words.sub(lambda word: other[word.group(0)], match.group(0))


def rule(family, name, files, pattern, *replacements):
    files = (files,) if isinstance(files, str) else files
    return Rule(family, name, files, pattern, replacements)


RULES = [
    # Waits and commits of asynchronous copies.
    rule("wait", "wait-for-one-group-less", MAINLOOP, r"WaitCopies<([^>]+)>\(\);",
         r"WaitCopies<\1 + 1>();"),
    rule("wait", "no-wait", MAINLOOP, r"WaitCopies<[^>]+>\(\);", ""),
    rule("wait", "no-commit", MAINLOOP, r"CommitCopies\(\);", ""),
    rule("wait", "commit-before-the-weights", MAINLOOP,
         r"(CopyWeights\(params, taps, slice[^;]*;)([\s\S]+?)(CommitCopies\(\);)", r"\2\3 \1"),

    # Barriers.
    rule("barrier", "no-barrier", (MAINLOOP, EPILOGUE), r"SyncThreads\(\);", ""),
    rule("barrier", "barrier-before-wait", MAINLOOP,
         r"(WaitCopies<[^>]+>\(\);)(\s+)(SyncThreads\(\);)", r"\3\2\1"),
    rule("barrier", "barrier-of-a-warp", (MAINLOOP, EPILOGUE), r"SyncThreads\(\);", "SyncWarp();"),
    rule("barrier", "barrier-of-some-threads", (MAINLOOP, EPILOGUE), r"SyncThreads\(\);",
         "if (ThreadIndex() >= 32) SyncThreads();"),
    rule("barrier", "copies-before-barrier", MAINLOOP,
         r"(WaitCopies<kAhead - 1>\(\);\s+SyncThreads\(\);)"
         r"([\s\S]+?)(CopyWeights\(params, taps, slice \+ kAhead, slices\);)", r"\3 \1\2"),

    # Phases: the ring of weights, the two patches, what is ahead of what.
    rule("phase", "ring-too-short", MAINLOOP, r"% Tile::kWeightStages\b",
         "% (Tile::kWeightStages - 1)", "% 2"),
    rule("phase", "one-patch", MAINLOOP, r"patch % 2", "patch % 1"),
    rule("phase", "patch-of-the-tap", MAINLOOP, r"PatchAddress\(patch\)( \+)",
         r"PatchAddress(patch + 1)\1"),
    rule("phase", "too-far-ahead", MAINLOOP, r"kAhead = Tile::kWeightStages - 1",
         "kAhead = Tile::kWeightStages"),
    rule("phase", "too-many-patch-parts", MAINLOOP, r"kPatchParts = kTaps - kAhead",
         "kPatchParts = kTaps - kAhead + 1", "kPatchParts = kTaps - kAhead + 2"),
    rule("phase", "wrong-slice-ahead", MAINLOOP, r"slice \+ kAhead, slices",
         "slice + kAhead - 1, slices", "slice + kAhead + 1, slices"),
    rule("phase", "part-of-the-wrong-patch", MAINLOOP, r"position, patch \+ 1, tap",
         "position, patch, tap"),
    rule("phase", "prologue-one-short", MAINLOOP, r"slice = 0; slice < kAhead",
         "slice = 1; slice < kAhead"),
    rule("phase", "first-patch-not-whole", MAINLOOP, r"part = 0; part < kPatchParts",
         "part = 1; part < kPatchParts"),
    rule("phase", "weights-over-the-second-patch", MAINLOOP, r"\(2 \* Tile::kPatchBytes \+",
         "(Tile::kPatchBytes +"),

    # Predicates.
    rule("predicate", "border-read", MAINLOOP, r"\b([yx]) >= 0\b", r"\1 >= -1"),
    rule("predicate", "edge-one-later", (MAINLOOP, EPILOGUE),
         r"\b([yx]) < (params\.(?:height|width))", r"\1 <= \2"),
    rule("predicate", "edge-one-earlier", (MAINLOOP, EPILOGUE),
         r"\b([yx]) < (params\.(?:height|width))", r"\1 < \2 - 1"),
    rule("predicate", "unit-beyond-the-page", MAINLOOP,
         r"first_unit \+ unit < params\.in_units", "first_unit + unit <= params.in_units", "true"),
    rule("predicate", "unit-left-out", MAINLOOP, r"first_unit \+ unit < params\.in_units",
         "first_unit + unit < params.in_units - 1"),
    rule("predicate", "no-zero-fill", MAINLOOP, r"source \+ offset, is_inside",
         "source + offset, true"),
    rule("predicate", "weights-always-zero-filled", MAINLOOP, r"source \+ 16 \* copy, true",
         "source + 16 * copy, copy > 0"),
    rule("predicate", "slices-beyond-the-last", MAINLOOP, r"if \(slice >= slices\) return;",
         "", "if (slice >= slices - 1) return;"),
    rule("predicate", "patches-beyond-the-last", MAINLOOP, r"patch \+ 1 < patches",
         "patch + 1 <= patches"),
    rule("predicate", "last-patch-left-out", MAINLOOP, r"patch \+ 1 < patches",
         "patch + 2 < patches"),
    rule("predicate", "part-twice", MAINLOOP, r"tap < kPatchParts && ", ""),
    rule("predicate", "part-left-out", MAINLOOP, r"tap < kPatchParts &&",
         "tap < kPatchParts - 1 &&", "tap > 0 && tap < kPatchParts &&"),
    rule("predicate", "copy-bound", MAINLOOP, r"copy < (Tile::k(?:Patch|Slice)Copies)",
         r"copy <= \1", r"copy < \1 - 1"),
    rule("predicate", "no-input-at-all", MAINLOOP, r"if \(slices == 0\) return;", ""),

    # Offsets.
    rule("offset", "taps-turned", MAINLOOP, r"\btap ([/%]) 3", exchange("/", "%"),
         r"(8 - tap) \1 3"),
    rule("offset", "no-halo", MAINLOOP, r"(pixel [/%] Tile::kPatchWidth) - 1;", r"\1;"),
    rule("offset", "patch-row-too-short", MAINLOOP, r"y \* Tile::kPatchWidth", "y * Tile::kWidth"),
    rule("offset", "plane-of-the-wrong-size", MAINLOOP,
         r"std::int64_t\{params\.height\} \* params\.width;",
         "std::int64_t{params.height} * params.height;"),
    rule("offset", "row-by-height", (MAINLOOP, EPILOGUE), r"std::int64_t\{y\} \* params\.width",
         "std::int64_t{y} * params.height"),
    rule("offset", "chunk-not-added", MAINLOOP, r"\(page \* params\.in_units \+ first_unit\)",
         "(page * params.in_units)"),
    rule("offset", "pages-of-the-other-side", MAINLOOP, r"page \* params\.in_units",
         "page * params.out_units"),
    rule("offset", "same-unit-twice", MAINLOOP, r"unit \* plane \+", "0 * plane +"),
    rule("offset", "step-of-one-unit", MAINLOOP, r"\(2 \* step \* ", "(step * "),
    rule("offset", "weights-of-the-first-block", MAINLOOP, r"\+ 8 \* n\)", "+ 4 * n)", "+ 0 * n)"),
    rule("offset", "tile-not-added", (MAINLOOP, EPILOGUE), r"position\.([yx]) \+ ", ""),
    rule("offset", "tile-row-and-column", KERNEL,
         r"tile / params\.tiles_x( \* Tile::kHeight,\s+)tile % params\.tiles_x",
         r"tile % params.tiles_x\1tile / params.tiles_x"),
    rule("offset", "tile-grid-transposed", KERNEL, r"tile ([/%]) params\.tiles_x",
         r"tile \1 params.tiles_y"),
    rule("offset", "tile-extent-of-the-other-axis", KERNEL, r"\* Tile::k(Height|Width)\b",
         exchange("Height", "Width")),
    rule("offset", "patch-without-its-border", PARAMS, r"kPatch(Height|Width) = k\1 \+ 2",
         r"kPatch\1 = k\1 + 1"),
    rule("offset", "plane-without-its-last-row", PARAMS,
         r"kPlaneBytes = 16 \* kPatchHeight \* kPatchWidth",
         "kPlaneBytes = 16 * (kPatchHeight - 1) * kPatchWidth"),

    # Order of taps, chunks and pages.
    rule("order", "time-tap-and-chunk", MAINLOOP, r"patch / params\.chunks",
         "patch % params.chunks"),
    rule("order", "chunk-of-the-time-tap", MAINLOOP, r"patch % params\.chunks",
         "patch / params.chunks"),
    rule("order", "weights-of-the-first-time-tap", MAINLOOP, r"std::int64_t\{time\} \*",
         "std::int64_t{2 - time} *"),
    rule("order", "tap-of-the-next-slice", MAINLOOP, r"kTaps \+ slice % kTaps",
         "kTaps + (slice + 1) % kTaps", "kTaps + 8 - slice % kTaps"),
    rule("order", "pages-in-reverse", MAINLOOP,
         r"time == 0 \? oldest : time == 1 \? middle : newest",
         "time == 0 ? newest : time == 1 ? middle : oldest",
         "time == 0 ? middle : time == 1 ? oldest : newest"),
    rule("order", "entry-input", MAINLOOP, r"taps\.(\w+) = entry\.inputs\[([012])\]",
         r"taps.\1 = entry.inputs[(\2 + 1) % 3]"),
    rule("order", "time-tap-lost", MAINLOOP, r"<< \(2 \* taps\.count\)", "<< taps.count",
         "<< (2 * time)"),
    rule("order", "time-taps-counted-from-the-end", MAINLOOP, r">> \(2 \* index\)",
         ">> (2 * (count - 1 - index))"),
    rule("order", "missing-page-read", MAINLOOP,
         r"if \(entry\.inputs\[time\] == kNoPage\) continue;", ""),
    rule("order", "page-zero-left-out", MAINLOOP, r"entry\.inputs\[time\] == kNoPage",
         "entry.inputs[time] <= 0"),

    # Fragments: which lane holds what.
    rule("fragment", "matrix-order", MAINLOOP, r"lane / 8 % 2", "lane / 16"),
    rule("fragment", "matrix-order-in-reverse", MAINLOOP, r"lane / 16\b(?! \* 8)", "lane / 8 % 2"),
    rule("fragment", "next-block-lost", MAINLOOP, r"lane / 16 \* 8", "lane / 8 % 2 * 8",
         "lane / 16 * 4"),
    rule("fragment", "row-of-the-matrix", MAINLOOP, r"lane % 8", "lane / 4"),
    rule("fragment", "operand-registers", MAINLOOP, r"\{b\[(\d)\], b\[(\d)\]\}",
         r"{b[\2], b[\1]}", "{b[0], b[2]}"),
    rule("fragment", "operand-of-the-other-block", MAINLOOP, r"a\[m\], (low|high)\)",
         exchange("low", "high"), r"a[0], \1)"),
    rule("fragment", "accumulator-of-the-other-block", MAINLOOP, r"accumulators\[m\]\[n \+ 1\]",
         "accumulators[m][n]"),
    rule("fragment", "warps-the-other-way", MAINLOOP, r"warp ([%/]) Tile::kWarpsM",
         r"warp \1 Tile::kWarpsN"),
    rule("fragment", "blocks-the-other-way", (MAINLOOP, EPILOGUE),
         r"block ([%/]) \(Tile::kWidth / 8\)", r"block \1 (Tile::kHeight / 4)"),
    rule("fragment", "steps-left-out", MAINLOOP, r"step < Tile::kChunkUnits / 2",
         "step < (Tile::kChunkUnits + 2) / 4"),
    rule("fragment", "products-of-the-other-type", TRAITS, r"Mma16816<(Half|Bfloat16)>",
         exchange("Half", "Bfloat16")),

    # The epilogue.
    rule("epilogue", "bias-not-added", EPILOGUE, r"(first|second) \+= bias\[[01]\];", ""),
    rule("epilogue", "bias-of-the-other-channel", EPILOGUE, r"\+= (bias|residual)\[([01])\]",
         r"+= \1[1 - \2]"),
    rule("epilogue", "residual-not-added", EPILOGUE, r"(first|second) \+= residual\[[01]\];", ""),
    rule("epilogue", "sums-of-the-other-row", EPILOGUE, r"sums\[n\]\[2 \* half( \+ 1)?\]",
         r"sums[n][2 * (1 - half)\1]"),
    rule("epilogue", "row-of-the-other-half", EPILOGUE, r"\* 2 \+ half;", "* 2 + 1 - half;"),
    rule("epilogue", "pixel-of-the-lane", EPILOGUE, r"Lane\(\) / 4", "Lane() % 8"),
    rule("epilogue", "channel-of-the-lane", EPILOGUE, r"Lane\(\) % 4 \* 2", "Lane() % 4",
         "Lane() / 8 * 2"),
    rule("epilogue", "channel-of-the-warp", EPILOGUE, r"WarpN\(\) \* Tile::kMmaN \+ n",
         "n * Tile::kWarpsN + WarpN()", "WarpM() * Tile::kMmaN + n"),
    rule("epilogue", "page-of-the-other-pool", EPILOGUE, r"entry\.(residual|raw|output), pixel",
         "entry.inputs[2], pixel"),
    rule("epilogue", "page-of-the-next-pool", EPILOGUE, r"entry\.raw, pixel",
         "entry.output, pixel", "entry.residual, pixel"),
    rule("epilogue", "page-words", KERNEL, r"words \+ ([345])\)", "words + (\\1 - 2) % 3 + 3)"),
    rule("epilogue", "padded-channels-stored", EPILOGUE,
         r"channel < params\.out_units \* Traits::kUnitChannels",
         "channel <= params.out_units * Traits::kUnitChannels",
         "channel < (params.out_units - 1) * Traits::kUnitChannels"),
    rule("epilogue", "stored-outside", EPILOGUE,
         r"pixel\.is_inside && IsStored\(params, channel\)", "IsStored(params, channel)",
         "pixel.is_inside"),
    rule("epilogue", "normed-outside", EPILOGUE,
         r"!pixel\.is_inside \|\| !IsStored\(params, channel\)", "!IsStored(params, channel)",
         "!pixel.is_inside"),
    rule("epilogue", "offset-of-the-unit", EPILOGUE, r"\* params\.out_units \+ unit\)",
         "* params.in_units + unit)", "* params.out_units)"),
    rule("epilogue", "plane-of-the-wrong-size", EPILOGUE,
         r"std::int64_t\{params\.height\} \* params\.width;",
         "std::int64_t{params.height} * params.height;"),
    rule("epilogue", "channel-in-its-unit", EPILOGUE, r"channel % Traits::kUnitChannels",
         "channel % 2"),
    rule("epilogue", "bytes-of-an-element", EPILOGUE, r"Traits::kElementBytes \*",
         "(6 - Traits::kElementBytes) *"),
    rule("epilogue", "raw-type", EPILOGUE, r"type == RawType::kFp32", "type == RawType::kElement"),
    rule("epilogue", "norm-of-half-a-pair", EPILOGUE,
         r"first \* first \+ second \* second", "first * first", "first + second"),
    rule("epilogue", "norm-of-half-a-quad", EPILOGUE, r"ShuffleXor\(squares, ([12])\)",
         "ShuffleXor(squares, 4)", "squares"),
    rule("epilogue", "norm-before-the-residual", EPILOGUE,
         r"sums\[n\]\[2 \* half( \+ 1)?\] = (first|second);", ""),
    rule("epilogue", "norm-of-one-warp", EPILOGUE, r"AddAcrossWarps\(squares\);", ""),
    rule("epilogue", "warps-left-out", EPILOGUE, r"warp_n < Tile::kWarpsN", "warp_n < 1",
         "warp_n < Tile::kWarpsN - 1"),
    rule("epilogue", "partial-sums-collide", EPILOGUE, r"warp_n \* Tile::kHeight",
         "0 * Tile::kHeight"),
    rule("epilogue", "partial-sums-of-the-block", EPILOGUE,
         r"\(\(WarpM\(\) \* Tile::kMmaM \+ m\) \* 2 \+ half\)", "(WarpM() * 2 + half)",
         "(WarpM() * Tile::kMmaM + m)"),
    rule("epilogue", "partial-sums-of-one-lane", EPILOGUE, r"if \(Lane\(\) % 4 == 0\) ", "",
         "if (Lane() % 8 == 0) "),
    rule("epilogue", "floor-of-the-norm", EPILOGUE, r"squares > 1e-24F \? squares : 1e-24F",
         "squares > 1.0F ? 1.0F : squares"),
    rule("epilogue", "gamma-of-the-other-channel", EPILOGUE, r"gamma\[([01])\]\)",
         r"gamma[1 - \1])"),
    rule("epilogue", "gamma-of-the-pixel", EPILOGUE, r"params\.scaled_gamma \+ channel",
         "params.bias + channel"),
    rule("epilogue", "activation", EPILOGUE, r"norm == NormType::kRms\b",
         "norm == NormType::kRmsSilu"),
    rule("epilogue", "sign-of-the-exponent", EPILOGUE, r"-kLog2E \* y", "kLog2E * y", "-y"),
    rule("epilogue", "no-norm-without-a-raw-store", EPILOGUE, r"params\.norm == NormType::kNone",
         "params.norm == NormType::kRms"),
    rule("epilogue", "pair-in-reverse", TRAITS, r"\(first, second\)\);", "(second, first));"),
    rule("epilogue", "fp32-pair-in-reverse", TRAITS, r"BitsFloat\(words\.word\[([01])\]\)",
         r"BitsFloat(words.word[1 - \1])"),
    rule("epilogue", "tf32-not-rounded", TRAITS, r"RoundToTf32\((first|second)\)", r"\1"),

    # What the host makes of a problem.
    rule("plan", "extent-rounded-down", PLAN, r"\(value \+ by - 1\) / by", "value / by",
         "(value + by) / by"),
    rule("plan", "units-of-the-other-side", PLAN, r"problem\.(in|out)_channels",
         exchange("in_channels", "out_channels")),
    rule("plan", "tiles-of-the-other-axis", PLAN, r"config\.tile_(width|height)",
         exchange("width", "height")),
    rule("plan", "picture-transposed", PLAN, r"= problem\.(height|width)",
         exchange("width", "height")),
    rule("plan", "grid-of-one-frame", PLAN, r"problem\.frames \* ", ""),
    rule("plan", "grid-of-one-row", PLAN, r" \* params\.tiles_y", ""),
    rule("plan", "pointer-of-the-other-pool", PLAN, r"arguments\.(raw|output)",
         exchange("raw", "output")),
    rule("plan", "type-of-the-other-pool", PLAN,
         r"problem\.epilogue\.(residual|raw_store)", exchange("residual", "raw_store")),
    rule("plan", "shared-of-one-patch", PLAN, r"config\.shared_bytes\(\)",
         "(config.shared_bytes() - config.patch_bytes())"),
    rule("plan", "chunks-left-out", PLAN, r"DivideUp\(params\.in_units, config\.chunk_units\)",
         "params.in_units / config.chunk_units"),

    # Packed weights.
    rule("weights", "loops-exchanged", PACKING, r"time \* kSpaceTaps \+ tap",
         "tap * kTimeTaps + time", "(2 - time) * kSpaceTaps + tap",
         "time * kSpaceTaps + tap % 3 * 3 + tap / 3"),
    rule("weights", "channel-of-the-plane", PACKING,
         r"\(chunk \* config\.chunk_units \+ plane\) \* unit \+ lane",
         "(chunk + plane) * unit + lane", "(chunk * config.chunk_units + plane) * unit",
         "chunk * config.chunk_units + plane + lane * config.chunk_units"),
    rule("weights", "row-of-the-weight", PACKING, r"\{n\} \* problem\.in_channels \+ c",
         "{c} * problem.out_channels + n"),
    rule("weights", "padded-with-the-last", PACKING, r"value = 0\.0F", "value = 1.0F"),
    rule("weights", "last-channel-left-out", PACKING, r"\b([nc]) < (problem\.\w+_channels)",
         r"\1 < \2 - 1"),
]


def skipped_spans(text):
    """Comments and assertions: a change there is no bug."""
    return [match.span() for match in re.finditer(r"//[^\n]*|static_assert\([^;]*;", text)]


def mutants_of(rule_, root=ROOT):
    found = []
    for file in rule_.files:
        text = (Path(root) / file).read_text(encoding="utf-8")
        skipped = skipped_spans(text)
        matches = [match for match in re.finditer(rule_.pattern, text)
                   if not any(low <= match.start() < high for low, high in skipped)]
        for number, match in enumerate(matches, 1):
            for choice, replacement in enumerate(rule_.replacements, 1):
                after = (replacement(match) if callable(replacement)
                         else match.expand(replacement))
                name = f"{rule_.name}:{Path(file).name}:{number}.{choice}"
                line = text.count("\n", 0, match.start()) + 1
                found.append(Mutant(name, rule_, file, line, match.start(), match.group(0),
                                    after))
    return found


def all_mutants(root=ROOT):
    return [mutant for each in RULES for mutant in mutants_of(each, root)]
