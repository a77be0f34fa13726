// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing

@testable import TrackwayPlatform

@Suite("Storage location")
struct StorageLocationTests {
    struct Case: Sendable {
        var environment: [String: String]
        var home: String?
        var expected: String?
    }

    @Test(arguments: [
        Case(environment: ["HOME": "/home/ada"], home: nil, expected: "/home/ada/.local/state/trackway/shop"),
        Case(
            environment: ["HOME": "/home/ada", "XDG_STATE_HOME": "/var/state/"],
            home: nil,
            expected: "/var/state//trackway/shop"
        ),
        Case(
            environment: ["HOME": "/home/ada", "XDG_STATE_HOME": "relative"],
            home: nil,
            expected: "/home/ada/.local/state/trackway/shop"
        ),
        Case(
            environment: ["HOME": "/home/ada", "XDG_STATE_HOME": ""],
            home: nil,
            expected: "/home/ada/.local/state/trackway/shop"
        ),
        Case(environment: [:], home: "/root", expected: "/root/.local/state/trackway/shop"),
        Case(environment: ["HOME": "here"], home: "/root", expected: "/root/.local/state/trackway/shop"),
        Case(environment: [:], home: nil, expected: nil),
    ])
    func `the default location follows the XDG base directory rules`(_ sample: Case) {
        let location = Result { () throws(StorageLocationError) in
            try StorageLocation.standard(appID: "shop", environment: sample.environment) { sample.home }
        }
        switch location {
        case .success(let location): #expect(location.path == sample.expected)
        case .failure(let error): #expect(error.code == .noHome && sample.expected == nil)
        }
    }

    @Test(arguments: [
        ("shop", "shop"), ("com.example.Shop-1_b", "com.example.Shop-1_b"), ("..", "%2e."),
        (".hidden", "%2ehidden"),
        ("../../etc", "%2e.%2f..%2fetc"), ("a/b", "a%2fb"), ("a%2fb", "a%252fb"), ("ä", "%c3%a4"), ("\0", "%00"),
    ])
    func `an app ID cannot escape, hide or share its storage folder`(_ appID: String, _ expected: String) {
        #expect(StorageName.make(appID: appID) == expected)
    }

    @Test
    func `long IDs are shortened and stay distinct`() throws {
        let one = try #require(StorageName.make(appID: String(repeating: "x", count: 500) + "1"))
        let two = try #require(StorageName.make(appID: String(repeating: "x", count: 500) + "2"))
        #expect(one != two)
        #expect(one.utf8.count <= 255)
        #expect(StorageName.make(appID: "") == nil)
    }

    @Test(arguments: ["", "here", "./here", "~/there"])
    func `a relative folder is rejected`(_ path: String) {
        #expect(throws: StorageLocationError(.notAbsolute, path: path)) { try StorageLocation(path: path) }
    }

    @Test
    func `the folder is created with its parents and accessible only to the user`() throws {
        let scratch = try RecordedTree([:])
        let location = try StorageLocation(path: scratch.root.path + "/a/b/shop/")
        try location.prepare()
        try location.prepare()
        let facts = try FileManager.default.attributesOfItem(atPath: location.path)
        #expect(facts[.posixPermissions] as? Int == 0o700)
        #expect(location.path.hasSuffix("/shop"))
    }

    @Test
    func `a file in the folder's path is reported with its path and a remedy`() throws {
        let scratch = try RecordedTree(["/a": "a file"])
        let location = try StorageLocation(path: scratch.root.path + "/a/shop")
        let error = #expect(throws: StorageLocationError.self) { try location.prepare() }
        #expect(error?.code == .notAFolder)
        #expect(error?.path == scratch.root.path + "/a")
        #expect(error?.description.contains("move the file away") == true)
    }

    @Test
    func `a read-only file system and a missing permission are distinguished`() throws {
        // procfs rejects new folders, even from root.
        let error = #expect(throws: StorageLocationError.self) {
            try StorageLocation(path: "/proc/trackway/shop").prepare()
        }
        #expect(error?.path == "/proc/trackway")
        #expect(error?.recoverySuggestion.contains("another storage folder") == true)
        #expect(StorageLocationError.system(30, path: "/x").code == .readOnly)
        #expect(StorageLocationError.system(13, path: "/x").code == .notPermitted)
        #expect(StorageLocationError.system(28, path: "/x").code == .full)
    }

    @Test(arguments: [
        ("/private/var/mobile/Containers/Shared/AppGroup/0B2C/Library/trackway", true),
        ("/Users/a/Library/Developer/CoreSimulator/Devices/1/data/Containers/Shared/AppGroup/2", true),
        ("/private/var/mobile/Containers/Data/Application/0B2C/Library/Application Support/Trackway/shop", false),
        ("/Users/a/Library/Group Containers/group.shop/trackway", false),
        ("/home/a/Shared/files/AppGroup", false), ("/", false),
    ])
    func `a folder that an app shares with its extensions is recognized`(_ path: String, _ isShared: Bool) throws {
        #expect(try StorageLocation(path: path).isInSharedContainer == isShared)
    }
}
