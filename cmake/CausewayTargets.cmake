# SPDX-License-Identifier: Apache-2.0
# The target kinds of this project: causeway_library, causeway_program and causeway_test.
# Every one of them gets C++20, the warnings and the sanitizers of this build, and nothing else:
# what a target uses is in its own DEPS, linked PRIVATE.

# Designated initialisers may leave fields at their defaults: gcc's warning would forbid them.
# -Wrestrict of gcc 12 reports `"x" + std::to_string(i)` falsely when optimised (its bug 105651).
add_library(causeway_options INTERFACE)
target_compile_features(causeway_options INTERFACE cxx_std_20)
target_compile_options(causeway_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wno-missing-field-initializers -Wno-restrict
  -fstack-protector-strong
  $<$<BOOL:${CAUSEWAY_WERROR}>:-Werror>)
target_include_directories(causeway_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_link_options(causeway_options INTERFACE -Wl,-z,relro,-z,now)
if(CAUSEWAY_SANITIZE)
  target_compile_options(causeway_options INTERFACE
    -fsanitize=${CAUSEWAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(causeway_options INTERFACE -fsanitize=${CAUSEWAY_SANITIZE})
endif()

# causeway_library(NAME SOURCES file... [DEPS target...])
function(causeway_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PRIVATE causeway_options ${ARG_DEPS})
endfunction()

# causeway_program(NAME SOURCES file... [DEPS target...]): an executable in the build's bin folder.
function(causeway_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE causeway_options ${ARG_DEPS})
endfunction()

# causeway_test(NAME SOURCES file... [DEPS target...] [LABELS label...] [TIMEOUT seconds]):
# one GoogleTest program, one ctest entry a program. The targets causeway_sanitize_tests and
# causeway_threads_tests build those labelled `sanitize` and `threads`: what the runs with the
# address and with the thread sanitizer take.
function(causeway_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  target_link_libraries(${name} PRIVATE causeway_options ${ARG_DEPS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE CAUSEWAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  foreach(label sanitize threads)
    if(NOT label IN_LIST ARG_LABELS)
      continue()
    endif()
    if(NOT TARGET causeway_${label}_tests)
      add_custom_target(causeway_${label}_tests)
    endif()
    add_dependencies(causeway_${label}_tests ${name})
  endforeach()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  # One OpenMP thread: ctest runs programs side by side, and threads that spin for each other's
  # tiny operations on shared cores make a test slower by factors.
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT OMP_NUM_THREADS=1)
endfunction()
