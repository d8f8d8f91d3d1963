# cmake -DPROGRAM=npuscope -DCOMMANDS=check;run;… -DFOLDER=build/manual -P manual.cmake
# Writes manual pages and completions as the program tells them: man1/*.1.gz, npuscope (bash), _npuscope (zsh),
# npuscope.fish. Without gzip the pages stay as they are.
find_program(GZIP gzip)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1)

function(tell file)
  execute_process(COMMAND ${PROGRAM} help ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

tell(man1/npuscope.1 --man)
tell(man1/msaccucmp.1 msaccucmp --man)
foreach(command IN LISTS COMMANDS)
  tell(man1/npuscope-${command}.1 ${command} --man)
endforeach()
if(GZIP)
  file(GLOB pages ${FOLDER}/man1/*.1)
  execute_process(COMMAND ${GZIP} -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
tell(npuscope --completion bash)
tell(_npuscope --completion zsh)
tell(npuscope.fish --completion fish)
