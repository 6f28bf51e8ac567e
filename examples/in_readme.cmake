# cmake -DREADME=… -DEXAMPLE=… -P in_readme.cmake: the example stands in the README, word for word.
cmake_minimum_required(VERSION 3.22)
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(FIND "${readme}" "```cpp\n${example}```\n" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is")
endif()
