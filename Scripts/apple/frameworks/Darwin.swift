// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Declarations that the Darwin overlay adds to those of C: variadic functions, which Swift does not import, and error
// types.

@_exported import Darwin

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: UInt16) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
public var errno: Int32 {
    get { fatalError() }
    set { fatalError() }
}
public func access(_ path: UnsafePointer<CChar>, _ mode: Int32) -> Int32 { fatalError() }
public var F_OK: Int32 { 0 }
public var R_OK: Int32 { 4 }
public var W_OK: Int32 { 2 }
public var X_OK: Int32 { 1 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
