# cpack -G DEB: npuscope, python3-npuscope and libnpuscope-dev, each a component of cmake/install.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME npuscope)
set(CPACK_PACKAGE_CONTACT ${NPUSCOPE_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs python development)
if(NOT TARGET npuscope_python)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME npuscope)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "python3-numpy, python3-npuscope")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION
  "find out why a neural network computes other numbers on an NPU
Compares a run on an Ascend NPU with one on a GPU or CPU op by op, says
which op is to blame and why, and needs no NPU: it emulates the chips'
arithmetic. Reads dumps of PyTorch, msprobe, CANN and others.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-npuscope)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
  "dumps and emulated NPUs for NumPy and PyTorch
Records the ops of PyTorch programs, runs them on the emulated chips of
npuscope, and compares recordings.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libnpuscope-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libhdf5-dev, zlib1g-dev, libhwy-dev, libfmt-dev, nlohmann-json3-dev, libzip-dev, pkgconf | pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "headers and libraries of npuscope
For C++ programs that write dumps or compute on emulated NPUs, with the
package file for CMake's find_package. Headers may change with any version.")

if(TARGET npuscope_python)
  get_target_property(minor npuscope_python PYTHON_MINOR)
  math(EXPR next_minor "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "npuscope (= ${PROJECT_VERSION}), python3 (>= 3.${minor}~), python3 (<< 3.${next_minor}~), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-torch)
  # Modules are compiled where they are installed, and what was compiled goes with them.
  foreach(script postinst prerm)
    set(compile "py3compile -p python3-npuscope")
    if(script STREQUAL prerm)
      set(compile "py3clean -p python3-npuscope")
    endif()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/${script}
      CONTENT "#!/bin/sh\nset -e\nif command -v py3compile >/dev/null; then\n    ${compile}\nfi\n" @ONLY)
  endforeach()
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${PROJECT_BINARY_DIR}/package/postinst;${PROJECT_BINARY_DIR}/package/prerm")
endif()
include(CPack)
