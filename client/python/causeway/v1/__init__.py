# SPDX-License-Identifier: Apache-2.0
"""The messages of the protocol, generated when the package is built."""
