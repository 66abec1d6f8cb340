# Finds LLVM and MLIR 22 and makes their CMake functions available.
#
# MLIRConfigVersion accepts only an exact `22.1`, so the version is checked
# here, where the message can say what was found.

find_package(MLIR REQUIRED CONFIG
             HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "mlir-mx: expected LLVM/MLIR 22, got ${LLVM_VERSION} in ${MLIR_DIR}")
endif()
if(NOT TARGET MLIR)
  message(FATAL_ERROR "mlir-mx: expected the shared library libMLIR.so in ${MLIR_DIR}; "
                      "two copies of MLIR in one process do not work")
endif()
message(STATUS "mlir-mx: LLVM/MLIR ${LLVM_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(MX_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${MX_LLVM_DEFINITIONS})
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
