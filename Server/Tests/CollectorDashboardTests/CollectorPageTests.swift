// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorDashboard
internal import Foundation
internal import Testing

@Suite("The page")
struct CollectorPageTests {
    private static let texts = CollectorPage.files.map { ($0.path, String(decoding: $0.body, as: UTF8.self)) }
    private static let paths = Set(CollectorPage.files.map(\.path))

    @Test
    func `the page refers to exactly the files that exist`() {
        var references: Set<String> = ["/"]
        for (_, text) in Self.texts {
            for match in text.matches(of: /(?:src|href)="(\/[^"]*)"|from "\.(\/[^"]+)"/) {
                references.insert(String(match.1 ?? match.2 ?? ""))
            }
        }
        #expect(references == Self.paths)
        #expect(Self.paths.count == CollectorPage.files.count)
        #expect(CollectorPage.files.allSatisfy { !$0.body.isEmpty })
    }

    @Test
    func `every file in the assets folder is included unchanged`() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Sources/CWebAssets/Assets").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names.map { $0 == "index.html" ? "/" : "/" + $0 }) == Self.paths)
        for asset in CollectorPage.files {
            let file = folder.appending(path: asset.path == "/" ? "index.html" : asset.path)
            #expect(try Array(Data(contentsOf: file)) == asset.body, "\(asset.path)")
        }
    }

    @Test(arguments: CollectorPage.files.map(\.path))
    func `each file has the correct content type`(path: String) throws {
        let asset = try #require(CollectorPage.files.first { $0.path == path })
        let expected = [
            "": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "svg": "image/svg+xml",
        ]
        #expect(asset.contentType == expected[URL(filePath: path).pathExtension])
    }

    @Test(arguments: ["main", "users", "devices", "boards", "alerts", "insights"])
    func `each part of the page exists and can be selected`(id: String) throws {
        let page = try #require(Self.texts.first { $0.0 == "/" }?.1)
        #expect(try page.contains(Regex("<main [^>]*id=\"\(id)\"")))
        #expect(page.contains("id=\"nav-\(id == "main" ? "live" : id)\""))
    }

    @Test
    func `the page needs no more than its strict content security policy allows`() throws {
        let page = try #require(Self.texts.first { $0.0 == "/" }?.1)
        #expect(!page.contains(/<script(?![^>]*src=)/))
        #expect(!page.contains("<style"))
        #expect(!page.contains(/\sstyle=/))
        #expect(!page.contains(/\son[a-z]+=/))
        for (path, text) in Self.texts where path != "/" {
            #expect(
                !text.contains(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/),
                "\(path)"
            )
        }
    }

    @Test
    func `the page loads nothing from other hosts`() {
        for (path, text) in Self.texts {
            let others = text.matches(of: /https?:\/\/[^\s"'`]+/).map { String($0.0) }
                .filter { !$0.hasPrefix("http://www.w3.org/") }
            #expect(others.isEmpty, "\(path)")
        }
    }

    @Test
    func `every element that a script requests by id is in the page`() throws {
        let page = try #require(Self.texts.first { $0.0 == "/" }?.1)
        let there = Set(page.matches(of: /\sid="([^"]+)"/).map { String($0.1) })
        for (path, text) in Self.texts {
            for match in text.matches(of: /byId\("([^"]+)"\)/) {
                #expect(there.contains(String(match.1)), "\(path) requests \(match.1)")
            }
        }
    }

    @Test
    func `different content has a different entity tag`() {
        let one = WebAsset(path: "/a", contentType: "text/plain", body: [1, 2])
        #expect(one.entityTag == WebAsset(path: "/b", contentType: "text/css", body: [1, 2]).entityTag)
        #expect(one.entityTag != WebAsset(path: "/a", contentType: "text/plain", body: [2, 1]).entityTag)
        #expect(one.entityTag.hasPrefix("\"") && one.entityTag.hasSuffix("\""))
    }
}
