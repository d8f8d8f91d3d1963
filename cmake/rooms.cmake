# One library target per room, and tables (.def) that CMake and C++ read alike.

# npuscope_batched(target n): where NPUSCOPE_UNITY asks for it, n of the target's sources are compiled as one; no two of
# them may give one name to two things. Sources that Highway compiles once for each instruction set include themselves:
# each stays alone.
function(npuscope_batched target size)
  if(NOT NPUSCOPE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} included_again REGEX "^#define HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
    if(included_again)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# npuscope_room(core_base SOURCES a.cpp b.cpp LINKS npuscope_core_dtype HDF5::HDF5)
# LINKS names everything that the room may include from; nothing else is on its include path but the sources' root.
# BATCHED n: npuscope_batched(npuscope_core_base n).
function(npuscope_room name)
  cmake_parse_arguments(ROOM "" "BATCHED" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(npuscope_${name} STATIC ${ROOM_SOURCES})
  if(ROOM_BATCHED)
    npuscope_batched(npuscope_${name} ${ROOM_BATCHED})
  endif()
  target_include_directories(npuscope_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/npuscope>)
  # In an installed package: npuscope::core_base.
  set_target_properties(npuscope_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(npuscope_${name} PUBLIC ${ROOM_LINKS} PRIVATE ${ROOM_PRIVATE_LINKS})
  # What reads and judges foreign files tells libFuzzer where it went; what computes tensors would only be slower.
  if(NPUSCOPE_FUZZ AND NOT name MATCHES "^(npu_backend|onnx|page|dumper|ir_tbe_map|loss)$")
    target_compile_options(npuscope_${name} PRIVATE -fsanitize=fuzzer-no-link,address,undefined
      -fno-sanitize-recover=all -gline-tables-only)
    # Damage behind a checksum is found, too.
    target_compile_definitions(npuscope_${name} PRIVATE NPUSCOPE_IGNORE_CHECKSUMS)
  endif()
endfunction()

# npuscope_table(SOURCES_VARIABLE DEF METRIC compare/metrics/metrics.def)
# Reads lines `METRIC(name…)`: each names one source name.cpp beside the table or in a folder below it, and a test
# tests/<folder>/name_test.cpp. A missing source or test stops the configure step.
function(npuscope_table variable macro def)
  set(path ${PROJECT_SOURCE_DIR}/${def})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  get_filename_component(folder ${def} DIRECTORY)
  file(STRINGS ${path} lines REGEX "^${macro}\\(")
  set(sources "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^${macro}\\(([A-Za-z0-9_]+).*" "\\1" name "${line}")
    file(GLOB_RECURSE source RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/${name}.cpp)
    list(LENGTH source count)
    string(REGEX REPLACE "\\.cpp$" "_test.cpp" test "tests/${source}")
    if(NOT count EQUAL 1 OR NOT EXISTS ${PROJECT_SOURCE_DIR}/${test})
      message(FATAL_ERROR "${def} names '${name}', but there is not one ${name}.cpp with its test")
    endif()
    list(APPEND sources ${PROJECT_SOURCE_DIR}/${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# npuscope_python_text(SOURCES_VARIABLE driver.py custom_algorithms::driver_text): driver.py is carried inside the
# program, as what npuscope::custom_algorithms::driver_text() returns. driver_text.h beside it declares the function.
function(npuscope_python_text variable file name)
  cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE path)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} PYTHON_TEXT)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE PYTHON_SOURCE)
  string(REGEX REPLACE ".*:" "" function ${name})
  cmake_path(REPLACE_FILENAME PYTHON_SOURCE ${function}.h OUTPUT_VARIABLE PYTHON_HEADER)
  set(PYTHON_NAME ${name})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/python_text.cpp.in ${function}.cpp @ONLY)
  set(${variable} ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp PARENT_SCOPE)
endfunction()

# npuscope_tests(core_dtype core/dtype LINKS npuscope_core_dtype): tests/core/dtype/*_test.cpp as one program,
# each TEST as one ctest entry. No two files give one name to two things: where NPUSCOPE_UNITY asks for it, they are
# compiled together. DEEP: with the tests in the folders below.
function(npuscope_tests name folder)
  cmake_parse_arguments(TESTS "DEEP" "" "LINKS" ${ARGN})
  if(TESTS_DEEP)
    set(glob GLOB_RECURSE)
  else()
    set(glob GLOB)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_tests ${sources})
  npuscope_batched(${name}_tests 12)
  target_link_libraries(${name}_tests PRIVATE ${TESTS_LINKS} npuscope_test_support GTest::gtest_main)
  gtest_discover_tests(${name}_tests TEST_PREFIX "${folder}: " DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()

# npuscope_python_tests(docs): each tests/docs/*_test.py (unittest) is one ctest entry. It finds the sources in the
# environment variable NPUSCOPE_SOURCE_DIR and the built programs in NPUSCOPE_BIN_DIR.
function(npuscope_python_tests folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*_test.py)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME "${folder}: ${name}" COMMAND ${PYTHON3} -B ${file})
    set_tests_properties("${folder}: ${name}" PROPERTIES
      TIMEOUT 600
      ENVIRONMENT "NPUSCOPE_SOURCE_DIR=${PROJECT_SOURCE_DIR};NPUSCOPE_BIN_DIR=${PROJECT_BINARY_DIR}/bin")
  endforeach()
endfunction()
