# SPDX-License-Identifier: Apache-2.0
# LibTorch as headers and libraries, without TorchConfig.cmake (which needs a CUDA toolkit and
# shadows protobuf).
#
#   LibTorch::Cpu    libtorch_cpu and libc10: all that the server and the tools link
#   LibTorch::Cuda   libtorch_cuda and libc10_cuda, for the CUDA backend module only
#
# CAUSEWAY_LIBTORCH (CMake or environment variable) names the `torch` folder, the one that holds
# include/ and lib/. Default: the one that deploy/setup installs.
if(NOT CAUSEWAY_LIBTORCH)
  if(DEFINED ENV{CAUSEWAY_LIBTORCH} AND NOT "$ENV{CAUSEWAY_LIBTORCH}" STREQUAL "")
    set(CAUSEWAY_LIBTORCH "$ENV{CAUSEWAY_LIBTORCH}")
  else()
    set(CAUSEWAY_LIBTORCH "${PROJECT_SOURCE_DIR}/.deps/libtorch/torch")
  endif()
endif()
set(CAUSEWAY_LIBTORCH "${CAUSEWAY_LIBTORCH}" CACHE PATH
  "LibTorch: the folder with include/ and lib/")

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h PATHS "${CAUSEWAY_LIBTORCH}/include" NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${CAUSEWAY_LIBTORCH}/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS "${CAUSEWAY_LIBTORCH}/lib" NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "no LibTorch in ${CAUSEWAY_LIBTORCH}: run ./run setup, or set CAUSEWAY_LIBTORCH")

if(LibTorch_FOUND AND NOT TARGET LibTorch::Cpu)
  add_library(LibTorch::C10 SHARED IMPORTED)
  set_target_properties(LibTorch::C10 PROPERTIES IMPORTED_LOCATION "${LibTorch_C10_LIBRARY}")
  add_library(LibTorch::Cpu SHARED IMPORTED)
  set_target_properties(LibTorch::Cpu PROPERTIES
    IMPORTED_LOCATION "${LibTorch_CPU_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES LibTorch::C10)
  if(CAUSEWAY_CUDA)
    foreach(part torch_cuda c10_cuda)
      add_library(LibTorch::${part} SHARED IMPORTED)
      set_target_properties(LibTorch::${part} PROPERTIES
        IMPORTED_LOCATION "${CAUSEWAY_LIBTORCH}/lib/lib${part}.so")
    endforeach()
    add_library(LibTorch::Cuda INTERFACE IMPORTED)
    target_link_libraries(LibTorch::Cuda INTERFACE
      LibTorch::torch_cuda LibTorch::c10_cuda LibTorch::Cpu)
  endif()
endif()
