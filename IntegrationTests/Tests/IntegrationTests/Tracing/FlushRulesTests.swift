// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Tests the rules that are applied to traces, with deliberate mistakes.
@Suite("Flush rules")
struct FlushRulesTests {
    private static let validActions: [FileAction] = [
        .madeFolder("/a/data"), .flushed("/a"), .madeFolder("/a/data/writers"), .opened("/a/data/writers/1.segment"),
        .changed("/a/data/writers/1.segment"), .mapped("/a/data/writers/1.segment"),
        .flushed("/a/data/writers/1.segment"), .flushed("/a/data/writers"), .flushed("/a/data"), .promised("one"),
        .flushed("/a/data/writers/1.segment"), .promised("two"),
    ]

    private func violations(_ actions: [FileAction]) -> [String] {
        var rules = FlushRules { $0.hasSuffix(".segment") }
        for action in actions { rules.process(action) }
        return rules.violations
    }

    @Test
    func `a program that flushes everything in time has no violations`() {
        #expect(violations(Self.validActions) == [])
    }

    @Test(arguments: validActions.indices)
    func `omitting any one flush is a violation`(_ index: Int) {
        guard case .flushed(let path) = Self.validActions[index] else { return }
        var actions = Self.validActions
        actions.remove(at: index)
        let violations = violations(actions)
        #expect(!violations.isEmpty)
        #expect(violations.allSatisfy { $0.contains(path) })
    }

    @Test
    func `a flush before the change does not count`() {
        let actions: [FileAction] = [
            .opened("/a/1.segment"), .flushed("/a/1.segment"), .flushed("/a"), .changed("/a/1.segment"),
        ]
        #expect(violations(actions + [.promised("one")]).count == 1)
        #expect(violations(actions + [.flushed("/a/1.segment"), .promised("one")]) == [])
    }

    @Test
    func `a new name requires a flush of its folder, after a rename as well as after a link`() {
        let created: [FileAction] = [.opened("/a/spare"), .flushed("/a/spare"), .flushed("/a")]
        let moved: FileAction = .renamed("/a/spare", to: "/a/2.segment")
        let linked: FileAction = .linked("/a/spare", to: "/a/2.segment")
        for change in [moved, linked] {
            #expect(violations(created + [change, .promised("one")]).count == 1)
            #expect(violations(created + [change, .flushed("/a"), .promised("one")]) == [])
        }
        let unflushed: [FileAction] = [
            .opened("/a/spare"), .changed("/a/spare"), moved, .flushed("/a"), .promised("one"),
        ]
        #expect(violations(unflushed).count == 1)
    }

    @Test
    func `existing files and removed files require no flush`() {
        var rules = FlushRules(present: ["/a/1.segment"]) { $0.hasSuffix(".segment") }
        for action: FileAction in [
            .opened("/a/1.segment"), .opened("/a/2.segment"), .changed("/a/2.segment"), .removed("/a/2.segment"),
            .promised("one"),
        ] {
            rules.process(action)
        }
        #expect(rules.violations == [] && rules.promises == 1)
    }

    @Test
    func `a log file that is followed by a newer one requires exactly one more flush`() {
        var rules = FlushRules(present: ["/a"]) { $0.hasSuffix("1.segment") }
        let actions: [FileAction] = [
            .opened("/a/1.segment"), .mapped("/a/1.segment"), .flushed("/a"), .flushed("/a/1.segment"),
            .promised("one"),
            .mapped("/a/2.segment"), .promised("two"), .flushed("/a/1.segment"), .promised("three"), .promised("four"),
        ]
        for action in actions { rules.process(action) }
        #expect(rules.violations == ["'two' before /a/1.segment was flushed"])
    }

    @Test
    func `an unmapped file requires exactly one more flush`() {
        var rules = FlushRules(present: ["/a"]) { $0.hasSuffix(".segment") }
        let actions: [FileAction] = [
            .opened("/a/1.segment"), .mapped("/a/1.segment"), .flushed("/a"), .flushed("/a/1.segment"),
            .promised("one"),
            .unmapped("/a/1.segment"), .promised("two"), .flushed("/a/1.segment"), .promised("three"),
            .promised("four"),
        ]
        for action in actions { rules.process(action) }
        #expect(rules.violations == ["'two' before /a/1.segment was flushed"])
    }

    @Test
    func `trace lines become actions: a call when it has returned, a promise when its write starts`() {
        var reader = TraceReader { descriptor, text in descriptor.hasPrefix("pipe:") && text.hasPrefix("kept") }
        let lines: [(line: String, actions: [FileAction])] = [
            (#"71 mkdir("/a", 0700)                 = 0"#, [.madeFolder("/a")]),
            (#"71 mkdir("/a", 0700)                 = -1 EEXIST (File exists)"#, []),
            (#"71 openat(AT_FDCWD</x>, "/a/f", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 5</a/f>"#, [.opened("/a/f")]),
            (#"71 openat(AT_FDCWD</x>, "/a/f", O_RDONLY|O_CLOEXEC) = 5</a/f>"#, []),
            (#"72 pwrite64(5</a/f>, "x"..., 9, 0)   = 9"#, [.changed("/a/f")]),
            (#"71 fallocate(5</a/f>, 0, 0, 4096)    = 0"#, [.changed("/a/f")]),
            // Extended and truncated again: only the unused end is cut off.
            (#"71 ftruncate(5</a/f>, 8192)          = 0"#, [.changed("/a/f")]),
            (#"71 ftruncate(5</a/f>, 100)           = 0"#, []),
            (#"71 ftruncate(5</a/f>, 100 <unfinished ...>"#, []),
            (#"71 <... ftruncate resumed>)          = 0"#, [.changed("/a/f")]),
            (#"71 ftruncate(6</a/unknown>, 1)       = 0"#, [.changed("/a/unknown")]),
            (
                #"71 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5</a/f>, 0) = 0x7f1"#,
                [.mapped("/a/f")]
            ),
            (#"71 munmap(0x7f2, 4096)                = 0"#, []),
            (#"71 munmap(0x7f1, 4096)                = 0"#, [.unmapped("/a/f")]),
            (#"71 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 5</a/f>, 0) = 0x7f1"#, []),
            (#"71 fdatasync(5</a/f> <unfinished ...>"#, []),
            (#"72 write(1<pipe:[9]>, "kept 1 0 1\n", 11 <unfinished ...>"#, [.promised(#"kept 1 0 1\n"#)]),
            (#"72 <... write resumed>)              = 11"#, []),
            (#"71 <... fdatasync resumed>)          = 0"#, [.flushed("/a/f")]),
            (#"71 fsync(5</a>)                      = -1 EIO (Input/output error)"#, []),
            (#"71 rename("/a/f", "/a/g")            = 0"#, [.renamed("/a/f", to: "/a/g")]),
            (#"71 linkat(AT_FDCWD, "/a/g", AT_FDCWD, "/a/h", 0) = 0"#, [.linked("/a/g", to: "/a/h")]),
            (#"71 unlink("/a/g")                    = 0"#, [.removed("/a/g")]),
            (#"71 +++ exited with 0 +++"#, []),
        ]
        for (line, actions) in lines { #expect(reader.actions(of: line) == actions, "\(line)") }
    }
}
