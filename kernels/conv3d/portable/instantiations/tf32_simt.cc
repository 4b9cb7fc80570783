// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/portable/instantiations/tf32.inc"
