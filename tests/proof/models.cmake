# Extracts the models of proof/ and compiles them with their driver.
#
#   cmake -DCOQC=... -DOCAML=... -DPROOF=proof -DDRIVER=tests/proof/driver.ml -DFOLDER=... -P models.cmake
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${FOLDER})
foreach(file random band numerators table channels order sparse)
  file(COPY ${PROOF}/${file}/Code.v DESTINATION ${FOLDER}/${file})
  execute_process(COMMAND ${COQC} -q -R . Mollify ${file}/Code.v WORKING_DIRECTORY ${FOLDER}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(COPY ${PROOF}/Extract.v ${DRIVER} DESTINATION ${FOLDER})
execute_process(COMMAND ${COQC} -q -R . Mollify Extract.v WORKING_DIRECTORY ${FOLDER}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OCAML} -O3 -w -a -o models models.mli models.ml driver.ml WORKING_DIRECTORY ${FOLDER}
                COMMAND_ERROR_IS_FATAL ANY)
