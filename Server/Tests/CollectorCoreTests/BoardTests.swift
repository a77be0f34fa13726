// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorCore

@Suite("Boards")
struct BoardTests {
    private static let path = "/data/boards.json"
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func draft(_ title: String, cards: Int = 1) throws -> BoardDraft {
        let cards = (0..<cards).map { #"{"title":"Card \#($0)","kind":"trends","query":"name=a&last=7d"}"# }
        return try draft(json: #"{"title":"\#(title)","cards":[\#(cards.joined(separator: ","))]}"#)
    }

    private static func draft(json: String) throws -> BoardDraft {
        try BoardDraft(try JSONValue.parse(Array(json.utf8)))
    }

    /// Returns a board store.
    ///
    /// Its notices are appended to `notes`.
    private static func store(
        _ storage: any JournalStorage,
        _ notes: Locked<[String]> = Locked([]),
        seed: UInt64 = 7
    ) -> BoardStore {
        let random = Locked(SplitMix(state: seed))
        return BoardStore(
            path: path,
            storage: storage,
            at: now,
            randomUInt64: { random.withLock { $0.next() } },
            onWarning: { note in notes.withLock { $0.append(note) } }
        )
    }

    private static func folder() throws -> MemoryStorage {
        let storage = MemoryStorage()
        storage.makeFolder("/data")
        try storage.synchronizeFolder("/")
        return storage
    }

    @Test(arguments: [
        (#"[]"#, ""), (#"{}"#, "title"), (#"{"title":""}"#, "title"), (#"{"title":" \u00a0 "}"#, "title"),
        (#"{"title":"a\nb"}"#, "title"), (#"{"title":"a","version":0}"#, "version"),
        (#"{"title":"a","version":"1"}"#, "version"), (#"{"title":"a","cards":{}}"#, "cards"),
        (#"{"title":"a","colour":1}"#, "colour"), (#"{"title":"a","cards":[5]}"#, "cards[0]"),
        (#"{"title":"a","cards":[{"kind":"live"}]}"#, "cards[0].title"),
        (#"{"title":"a","cards":[{"title":"b"}]}"#, "cards[0].kind"),
        (#"{"title":"a","cards":[{"title":"b","kind":"pie"}]}"#, "cards[0].kind"),
        (#"{"title":"a","cards":[{"title":"b","kind":"live","size":"big"}]}"#, "cards[0].size"),
        (#"{"title":"a","cards":[{"title":"b","kind":"trends","chart":"pie"}]}"#, "cards[0].chart"),
        (#"{"title":"a","cards":[{"title":"b","kind":"trends","chart":1}]}"#, "cards[0].chart"),
        (#"{"title":"a","cards":[{"title":"b","kind":"live","chart":"bars"}]}"#, "cards[0].chart"),
        (#"{"title":"a","cards":[{"title":"b","kind":"live","id":"a/b"}]}"#, "cards[0].id"),
        (#"{"title":"a","cards":[{"title":"b","kind":"live","query":"a b"}]}"#, "cards[0].query"),
        (#"{"title":"a","cards":[{"title":"b","kind":"live","query":"name=ü"}]}"#, "cards[0].query"),
        (
            #"{"title":"a","cards":[{"title":"b","kind":"live","id":"x"},{"title":"b","kind":"live","id":"x"}]}"#,
            "cards[1].id"
        ),
    ])
    func `an invalid board is rejected with an error that names the member`(_ json: String, _ field: String) throws {
        let error = #expect(throws: BoardError.self) { try Self.draft(json: json) }
        #expect(error?.kind == .malformed && error?.field == field && error?.message.isEmpty == false)
    }

    @Test
    func `a board has at most fifty cards, and titles and queries have a maximum length`() throws {
        #expect(try Self.draft("a", cards: 50).cards.count == 50)
        #expect(throws: BoardError.self) { try Self.draft("a", cards: 51) }
        #expect(throws: BoardError.self) { try Self.draft(String(repeating: "ü", count: 129)) }
        let query = "name=" + String(repeating: "a", count: 4_096)
        #expect(throws: BoardError.self) {
            try Self.draft(json: #"{"title":"a","cards":[{"title":"b","kind":"trends","query":"\#(query)"}]}"#)
        }
    }

    @Test
    func `a card without an id gets a unique one`() throws {
        let draft = try Self.draft(
            json:
                #"{"title":"a","cards":[{"title":"b","kind":"live"},{"title":"c","kind":"live","id":"c1"},{"title":"d","kind":"live"}]}"#
        )
        #expect(draft.cards.map(\.id) == ["c2", "c1", "c3"])
    }

    @Test
    func `a saved board survives power loss, even with a hostile title`() async throws {
        let storage = try Self.folder()
        let title = #"<script>\u202e\"'‮ 🛒"#
        let made = try await Self.store(storage).add(try Self.draft(title), at: Self.now)
        let again = Self.store(storage.afterPowerLoss())
        #expect(try await again.board(made.board.id) == made)
        #expect(made.board.version == 1 && made.board.title.hasPrefix("<script>"))
    }

    @Test
    func `a change to an outdated version is rejected, and nothing is lost`() async throws {
        let store = Self.store(try Self.folder())
        let id = try await store.add(try Self.draft("first"), at: Self.now).board.id
        let second = try await store.replace(id, with: try Self.draft("second"), basedOn: 1, at: Self.now)
        #expect(second.board.version == 2)
        let error = await #expect(throws: BoardError.self) {
            try await store.replace(id, with: try Self.draft("third"), basedOn: 1, at: Self.now)
        }
        #expect(error?.kind == .changed && error?.field == "version")
        let removal = await #expect(throws: BoardError.self) { try await store.remove(id, basedOn: 1) }
        #expect(removal?.kind == .changed)
        #expect(try await store.board(id).board.title == "second")
        try await store.remove(id, basedOn: 2)
        #expect(try await store.all().isEmpty)
    }

    @Test
    func `a change that cannot be written is not applied`() async throws {
        let storage = FaultyStorage(try Self.folder())
        let store = Self.store(storage)
        let id = try await store.add(try Self.draft("kept"), at: Self.now).board.id
        storage.fail(.replace, with: .noSpace)
        let error = await #expect(throws: BoardError.self) {
            try await store.replace(id, with: try Self.draft("lost"), basedOn: 1, at: Self.now)
        }
        #expect(error?.kind == .unavailable)
        #expect(try await store.board(id).board.title == "kept")
        storage.clearFaults()
        #expect(try await store.replace(id, with: try Self.draft("new"), basedOn: 1, at: Self.now).board.version == 2)
    }

    @Test
    func `there are at most two hundred boards, and their total size is limited`() async throws {
        let store = Self.store(try Self.folder())
        for number in 0..<BoardLimits.boards { _ = try await store.add(try Self.draft("b\(number)"), at: Self.now) }
        let error = await #expect(throws: BoardError.self) { try await store.add(try Self.draft("more"), at: Self.now) }
        #expect(error?.kind == .full)
        let wide = Self.store(try Self.folder())
        let query = "name=" + String(repeating: "a", count: 4_000)
        let cards = Array(repeating: #"{"title":"b","kind":"trends","query":"\#(query)"}"#, count: 50)
        let draft = try Self.draft(json: #"{"title":"a","cards":[\#(cards.joined(separator: ","))]}"#)
        var made = 0
        let overflow = await #expect(throws: BoardError.self) {
            while made < 100 {
                _ = try await wide.add(draft, at: Self.now)
                made += 1
            }
        }
        #expect(overflow?.kind == .full && made == 5)
    }

    @Test(arguments: ["", "{", "[]", #"{"version":1}"#, #"{"version":1,"boards":[{"id":"a"}]}"#, "\u{0}\u{0}"])
    func `a damaged file is moved aside and reported, and the list of boards is empty`(_ content: String) async throws {
        let storage = try Self.folder()
        try storage.replace(Self.path, with: Array(content.utf8), durably: true)
        let notes = Locked<[String]>([])
        let store = Self.store(storage, notes)
        #expect(try await store.all().isEmpty)
        #expect(storage.contents(of: Self.path + ".damaged-1700000000000") == Array(content.utf8))
        #expect(notes.withLock { $0 }.count == 1)
        _ = try await store.add(try Self.draft("new"), at: Self.now)
    }

    @Test
    func `a file of a newer version is neither read nor overwritten`() async throws {
        let storage = try Self.folder()
        let content = Array(#"{"version":2,"boards":[]}"#.utf8)
        try storage.replace(Self.path, with: content, durably: true)
        let store = Self.store(storage)
        let error = await #expect(throws: BoardError.self) { try await store.add(try Self.draft("new"), at: Self.now) }
        #expect(error?.kind == .unavailable)
        #expect(storage.contents(of: Self.path) == content)
    }

    @Test
    func
        `a link opens its board until it is revoked, it expires or the board is deleted; the file has no token`()
        async throws
    {
        let storage = try Self.folder()
        let store = Self.store(storage)
        let id = try await store.add(try Self.draft("a"), at: Self.now).board.id
        let other = try await store.add(try Self.draft("b"), at: Self.now).board.id
        let later = Self.now.advanced(by: .seconds(60))
        let short = try await store.link(id, expires: later, at: Self.now)
        let long = try await store.link(id, expires: nil, at: Self.now)
        #expect(long.token.hasPrefix("twl_") && long.token.utf8.count == 56 && long.token != short.token)
        #expect(await store.shared(by: short.token, at: Self.now)?.id == id)
        #expect(await store.shared(by: short.token, at: later) == nil)
        #expect(await store.shared(by: long.token + "x", at: Self.now) == nil)
        #expect(await store.shared(by: "", at: Self.now) == nil)
        let text = String(decoding: try #require(storage.contents(of: Self.path)), as: UTF8.self)
        #expect(!text.contains(long.token.dropFirst(4)) && text.contains(KeyDigest(of: long.token).hexadecimal))
        let again = Self.store(storage.afterPowerLoss(), seed: 8)
        #expect(await again.shared(by: long.token, at: later)?.id == id)
        // Changing a board keeps its links, and revoking one link keeps the others.
        _ = try await store.replace(id, with: try Self.draft("c"), basedOn: 1, at: Self.now)
        #expect(try await store.unlink(id, link: short.link.id) == 1)
        #expect(await store.shared(by: short.token, at: Self.now) == nil)
        #expect(await store.shared(by: long.token, at: Self.now)?.title == "c")
        await #expect(throws: BoardError.self) { try await store.unlink(other, link: long.link.id) }
        try await store.remove(id, basedOn: 2)
        #expect(await store.shared(by: long.token, at: Self.now) == nil)
    }

    @Test
    func `a board has at most ten links, not counting expired ones`() async throws {
        let store = Self.store(try Self.folder())
        let id = try await store.add(try Self.draft("a"), at: Self.now).board.id
        let later = Self.now.advanced(by: .seconds(60))
        for _ in 0..<BoardLimits.links { _ = try await store.link(id, expires: later, at: Self.now) }
        let error = await #expect(throws: BoardError.self) { try await store.link(id, expires: nil, at: Self.now) }
        #expect(error?.kind == .full)
        _ = try await store.link(id, expires: nil, at: later)
        #expect(try await store.board(id).links.count == 1)
    }

    @Test
    func `built-in boards query existing data, and can be saved`() throws {
        let names = [
            "_screen_view", "_click", "view item&more", "purchase", "\u{7}", String(repeating: "x", count: 200),
        ]
        let board = BuiltInBoard.behavior.board(names: names, elements: "_element_id", at: Self.now)
        let titles = board.cards.map(\.title)
        #expect(titles.contains("Screens") && titles.contains("Elements") && titles.contains("view item&more"))
        #expect(board.cards.contains { $0.query.hasPrefix("name=view%20item%26more&") })
        #expect(!titles.contains { $0.utf8.count > 128 })
        let empty = BuiltInBoard.behavior.board(names: [], elements: nil, at: Self.now)
        #expect(!empty.cards.map(\.title).contains("Screens") && !empty.cards.isEmpty)
        for ready in BuiltInBoard.allCases {
            let board = ready.board(names: names, elements: "_element_id", at: Self.now)
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("title", board.title)
            writer.list("cards", board.cards) { $0.write(to: &$1) }
            writer.endObject()
            #expect(try BoardDraft(try JSONValue.parse(writer.array())).cards == board.cards)
        }
    }
}
