// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@testable internal import CollectorDashboard

@Suite("The page's files as served")
struct PageBundleTests {
    private static func file(_ path: String, _ text: String) -> WebAsset {
        WebAsset(path: path, contentType: "text/\(path.split(separator: ".").last ?? "html")", body: Array(text.utf8))
    }

    private static let page = file(
        "/",
        """
        <head>
          <link rel="icon" href="/icon.svg">
          <link rel="stylesheet" href="/b.css">
          <link rel="stylesheet" href="/a.css">
          <script type="module" src="/app.js"></script>
        </head>
        """
    )
    private static let sheets = [file("/a.css", "a {}\n"), file("/b.css", "b {}\n")]

    private static func bundle(_ modules: [WebAsset]) throws -> [String: String] {
        let bundle = try PageBundle([page] + sheets + modules)
        return Dictionary(
            uniqueKeysWithValues: bundle.assets.map { ($0.path, String(decoding: $0.body, as: UTF8.self)) }
        )
    }

    private func failure(_ files: [WebAsset]) -> PageBundle.Failure? {
        do throws(PageBundle.Failure) {
            _ = try PageBundle(files)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `the page has one script and one style sheet, each with a URL that contains its version`() throws {
        #expect(try CollectorPage.assets == PageBundle(CollectorPage.files).assets)
        #expect(CollectorPage.assets.map(\.path) == ["/", "/page.js", "/page.css", "/icon.svg"])
        let text = String(decoding: CollectorPage.assets[0].body, as: UTF8.self)
        for asset in CollectorPage.assets[1...2] {
            #expect(text.contains("\"\(asset.path)?v=\(asset.version)\""))
            #expect(asset.body.count > 10_000)
        }
        #expect(text.split(separator: "<link rel=\"stylesheet\"").count == 2)
        #expect(CollectorPage.assets[1].contentType == "text/javascript; charset=utf-8")
        #expect(CollectorPage.assets[2].contentType == "text/css; charset=utf-8")
    }

    @Test
    func `no module is loaded while the page runs`() {
        for file in CollectorPage.files where file.path.hasSuffix(".js") {
            #expect(!String(decoding: file.body, as: UTF8.self).contains("import("), "\(file.path)")
        }
    }

    @Test
    func `modules are in dependency order, each with separate names`() throws {
        let files = try Self.bundle([
            Self.file("/app.js", "import { second as other, zero } from \"./part-two.js\";\nother(zero);\n"),
            Self.file(
                "/part-two.js",
                """
                import { one } from "./one.js";
                const own = 2;
                export const zero = 0;
                export async function second() {
                  return one + own;
                }
                export { one };
                """
            ),
            Self.file("/one.js", "const own = 1;\nexport const one = own;\n"),
            Self.file("/unused.js", "export const unused = 0;\n"),
        ])
        #expect(
            files["/page.js"] == """
                "use strict";
                // /one.js
                const $one = (() => {
                const own = 1;
                const one = own;

                return { one };
                })();
                // /part-two.js
                const $part_two = (() => {
                const { one } = $one;
                const own = 2;
                const zero = 0;
                async function second() {
                  return one + own;
                }

                return { zero, second, one };
                })();
                // /app.js
                const $app = (() => {
                const { second: other, zero } = $part_two;
                other(zero);

                return {  };
                })();

                """
        )
        #expect(files["/page.css"] == "b {}\na {}\n")
        #expect(files["/app.js"] == nil)
    }

    @Test(arguments: [
        "import app from \"./one.js\";", "import * as one from \"./one.js\";", "import \"./one.js\";",
        "import { one } from \"../one.js\";", "import { one } from \"./-one.js\";",
        "import { one as } from \"./one.js\";", "export default 1;",
        "export let one = 1;", "export { one as two };extra", "export * from \"./one.js\";",
    ])
    func `the error for an unsupported line quotes it`(line: String) {
        let files =
            [Self.page] + Self.sheets + [
                Self.file("/app.js", "\(line)\n"), Self.file("/one.js", "export const one = 1;"),
            ]
        #expect(failure(files) == .unsupportedSyntax(file: "/app.js", line: line))
    }

    @Test
    func `cyclic imports, names that are not exported and missing files are reported`() {
        let base = [Self.page] + Self.sheets
        let app = Self.file("/app.js", "import { one } from \"./one.js\";\n")
        let circle = Self.file("/one.js", "import { two } from \"./app.js\";\nexport const one = 1;\n")
        #expect(failure(base + [app, circle]) == .cycle("/app.js /one.js /app.js"))
        #expect(
            failure(base + [app, Self.file("/one.js", "export const two = 1;\n")])
                == .missingExport(name: "one", from: "/one.js", by: "/app.js")
        )
        #expect(failure(base + [app]) == .missingExport(name: "a module", from: "/one.js", by: "/app.js"))
        #expect(
            failure([Self.page, Self.file("/app.js", "")])
                == .missingExport(name: "a style sheet", from: "/b.css", by: "/")
        )
        #expect(failure([Self.file("/", "<p>nothing")]) == .invalidPage)
        #expect(failure([]) == .invalidPage)
    }
}
