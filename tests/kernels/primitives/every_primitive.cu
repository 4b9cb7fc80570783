// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/primitives/every_primitive.cuh"
