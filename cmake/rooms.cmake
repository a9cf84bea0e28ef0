# privet_room(NAME USES rooms... LINKS targets...)
#
# One room of the house (docs/architecture.md): every source in src/privet/NAME becomes the library
# privet_NAME, and it may link only the rooms that stand above it. Sources are found, not listed, so that a
# new file needs no change here.
function(privet_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/privet/${name}/*.cpp")
  add_library(privet_${name} STATIC ${sources})
  target_include_directories(privet_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  foreach(room ${ROOM_USES})
    target_link_libraries(privet_${name} PUBLIC privet_${room})
  endforeach()
  target_link_libraries(privet_${name} PUBLIC ${ROOM_LINKS})
endfunction()
