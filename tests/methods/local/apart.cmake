# Fails if the local samplers include anything of other libraries but fmt, or headers of modules that
# are not theirs. Arguments: SOURCES, the folder src.
cmake_minimum_required(VERSION 3.25)
file(GLOB to_read RELATIVE ${SOURCES} ${SOURCES}/methods/local/band_draw.cpp ${SOURCES}/methods/local/bands.cpp
     ${SOURCES}/methods/local/floors.cpp ${SOURCES}/methods/local/law.cpp
     ${SOURCES}/methods/local/mechanism.cpp ${SOURCES}/methods/local/mollifiers.cpp
     ${SOURCES}/methods/local/sampler.cpp ${SOURCES}/methods/divergence/*.cpp)
if(NOT to_read)
  message(FATAL_ERROR "${SOURCES} must hold the local samplers, but no file of them was found")
endif()
while(to_read)
  list(POP_FRONT to_read file)
  list(APPEND read ${file})
  file(STRINGS ${SOURCES}/${file} includes REGEX "^#include ")
  foreach(include ${includes})
    if(include MATCHES "\"(.*)\"")
      set(header ${CMAKE_MATCH_1})
      if(NOT header MATCHES "/") # beside it
        cmake_path(GET file PARENT_PATH module)
        set(header ${module}/${header})
      endif()
      if(NOT header MATCHES "^(core|kernel|methods/(divergence|local/(band_draw|bands|floors|law|mechanism|mollifiers|sampler))|base/(directed_rounding|decimals|named|names|refusal|spare|speech|words)|accounting/privacy|scores/points)[./]")
        message(SEND_ERROR "${file} is part of the local samplers, but includes ${header}")
      elseif(NOT header IN_LIST read AND NOT header IN_LIST to_read)
        list(APPEND to_read ${header})
      endif()
    elseif(NOT include MATCHES "<([a-z_0-9]+|fmt/[a-z]+\\.h|[a-z/]+\\.h)>" OR include MATCHES "boost|nlohmann|yaml")
      message(SEND_ERROR "${file} is part of the local samplers, but has ${include}")
    endif()
  endforeach()
endwhile()
