# What `cmake --install` puts where, in three components: programs, python, development. Below python/: the package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ---- programs: with their manual pages, completions, pages of docs/ and sample models ----
install(TARGETS npuscope msaccucmp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)

# Written by the built program itself, so that no page lacks an option.
set(manual ${PROJECT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual}/man1)
if(NOT NPUSCOPE_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  file(STRINGS ${PROJECT_SOURCE_DIR}/cli/commands/commands.def commands REGEX "^COMMAND\\(")
  list(TRANSFORM commands REPLACE "^COMMAND\\(([a-z_]+)\\).*" "\\1")
  list(JOIN commands "\\;" commands)
  add_custom_command(OUTPUT ${manual}/npuscope
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:npuscope> -DCOMMANDS=${commands} -DFOLDER=${manual}
      -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
    DEPENDS npuscope ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
    COMMENT "Writing manual pages and completions" VERBATIM)
  add_custom_target(npuscope_manual ALL DEPENDS ${manual}/npuscope)
endif()
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT programs)
install(FILES ${manual}/npuscope DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  COMPONENT programs OPTIONAL)
install(FILES ${manual}/npuscope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT programs OPTIONAL)
# Where zsh looks depends on the prefix, which is known when it is installed.
install(CODE [[
  set(NPUSCOPE_ZSH_DIR share/zsh/site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(NPUSCOPE_ZSH_DIR share/zsh/vendor-completions)
  endif()]] COMPONENT programs)
install(FILES ${manual}/_npuscope DESTINATION "\${NPUSCOPE_ZSH_DIR}" COMPONENT programs OPTIONAL)

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*.svg ${PROJECT_SOURCE_DIR}/docs/*.png)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT programs)
file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/models/*.onnx ${PROJECT_SOURCE_DIR}/data/models/*.npz)
install(FILES ${models} DESTINATION ${CMAKE_INSTALL_DATADIR}/npuscope/models COMPONENT programs)

# ---- development: what a C++ program needs for the with-block of a dump ----
set(rooms core_base core_dtype core_parallel core_naming core_tensor core_event core_h5 core_dumpfile core_layout
  core_npz core_cann_dump core_recording dumper overflow npu_backend)
list(TRANSFORM rooms PREPEND npuscope_)
add_library(npuscope_all INTERFACE)
set_target_properties(npuscope_all PROPERTIES EXPORT_NAME npuscope)
set_target_properties(npuscope_hdf5 PROPERTIES EXPORT_NAME hdf5)
target_link_libraries(npuscope_all INTERFACE npuscope_dumper npuscope_overflow npuscope_npu_backend)
target_compile_features(npuscope_all INTERFACE cxx_std_20)
install(TARGETS npuscope_all npuscope_hdf5 ${rooms} EXPORT npuscope
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/npuscope COMPONENT development)
foreach(folder core dumper overflow npu_backend)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/npuscope
    COMPONENT development FILES_MATCHING PATTERN *.h PATTERN *.def PATTERN onnx EXCLUDE)
endforeach()
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/npuscope)
install(EXPORT npuscope NAMESPACE npuscope:: FILE npuscope-targets.cmake DESTINATION ${config_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/npuscope-config.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/npuscope-config.cmake INSTALL_DESTINATION ${config_dir})
# Headers may change with every version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/npuscope-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/npuscope-config.cmake ${PROJECT_BINARY_DIR}/cmake/npuscope-config-version.cmake
  DESTINATION ${config_dir} COMPONENT development)

# ---- what each of Debian's packages holds besides ----
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(log ${PROJECT_BINARY_DIR}/package/changelog)
file(WRITE ${log} "npuscope (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
  "  * What changed for users: CHANGELOG.md of the sources.\n\n -- ${NPUSCOPE_MAINTAINER}  ${day}\n")
find_program(GZIP gzip)
if(GZIP)
  execute_process(COMMAND ${GZIP} -9nf ${log} COMMAND_ERROR_IS_FATAL ANY)
  set(log ${log}.gz)
endif()
configure_file(${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_BINARY_DIR}/package/copyright COPYONLY)
foreach(pair programs=npuscope python=python3-npuscope development=libnpuscope-dev)
  string(REGEX MATCH "(.*)=(.*)" pair ${pair})
  install(FILES ${PROJECT_BINARY_DIR}/package/copyright ${log} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2}
    COMPONENT ${CMAKE_MATCH_1})
endforeach()
include(cmake/package.cmake)
