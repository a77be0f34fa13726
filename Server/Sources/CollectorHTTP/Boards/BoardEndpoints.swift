// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import TrackwayCore

/// The endpoints for boards.
///
/// The endpoints cover saved queries, the results of these queries, and shared links, which work without a key.
struct BoardEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    let boards: BoardStore
    let cards: CardQueries
    let catalog: CatalogEndpoints
    /// The slots for requests through shared links.
    ///
    /// One slot remains reserved for requests with a key.
    private let sharedSlots = ConcurrencySlots(limit: 2)

    init(
        dependencies: CollectorDependencies,
        boards: BoardStore,
        cards: CardQueries,
        catalog: CatalogEndpoints
    ) {
        self.dependencies = dependencies
        self.boards = boards
        self.cards = cards
        self.catalog = catalog
    }

    func register(in routes: inout RouteTable) {
        let changes = EndpointAccess.boards(changesReadAccess: false)
        let links = EndpointAccess.boards(changesReadAccess: true)
        routes.read("/v1/boards", .other, handler: saved { _ in try await list() })
        routes.add(.post, "/v1/boards", changes, handler: saved { try await add($0.request, from: $0.origin) })
        routes.read("/v1/boards/{id}", .other, handler: saved { try await board($0["id"]) })
        routes.add(
            .put,
            "/v1/boards/{id}",
            changes,
            handler: saved { try await replace($0["id"], $0.request, from: $0.origin) }
        )
        routes.add(.delete, "/v1/boards/{id}", changes, handler: saved { try await remove($0["id"], $0.request) })
        routes.read(
            "/v1/boards/{id}/cards/{card}",
            handler: saved { try await card($0["card"], of: $0["id"], $0.request) }
        )
        routes.add(.post, "/v1/boards/{id}/links", links, handler: saved { try await link($0["id"], $0.request) })
        routes.add(.delete, "/v1/boards/{id}/links", links, handler: saved { try await unlink(nil, $0["id"]) })
        routes.add(
            .delete,
            "/v1/boards/{id}/links/{link}",
            links,
            handler: saved { try await unlink($0["link"], $0["id"]) }
        )
        routes.add(.get, "/v1/shared", .link, handler: saved { try await shared($0.request) })
        routes.add(
            .get,
            "/v1/shared/cards/{card}",
            .link,
            .index,
            handler: saved { try await sharedCard($0["card"], $0.request) }
        )
    }

    private func saved(_ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        SavedObjectRequest.handler(of: .board, handler)
    }

    private var now: Timestamp { dependencies.clock.now().wall }

    // MARK: Boards

    /// `GET /v1/boards`
    private func list() async throws -> Response {
        let all = try await boards.all()
        let ready = BuiltInBoard.allCases
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("ready_made", ready) { ready, writer in
                writer.beginObject()
                writer.member("id", ready.rawValue)
                writer.member("title", ready.title)
                writer.endObject()
            }
            writer.list("boards", all) { $0.writeSummary(to: &$1) }
            writer.endObject()
        }
    }

    /// `GET /v1/boards/{id}`
    private func board(_ id: String) async throws -> Response {
        let stored = try await storedBoard(id)
        return JSONResponse.make(headers: Self.tag(stored.board)) { stored.write(to: &$0) }
    }

    /// `POST /v1/boards`
    private func add(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        let draft = try await draft(request, from: origin)
        let stored = try await boards.add(draft, at: now)
        var headers = Self.tag(stored.board)
        headers[.location] = "/v1/boards/\(stored.board.id)"
        return JSONResponse.make(.created, headers: headers) { stored.write(to: &$0) }
    }

    /// `PUT /v1/boards/{id}`
    private func replace(_ id: String, _ request: Request, from origin: RequestOrigin) async throws -> Response {
        try Self.checkIsNotBuiltIn(id)
        let draft = try await draft(request, from: origin)
        let version = try SavedObjectRequest(request, of: .board).version(draft.version)
        let stored = try await boards.replace(id, with: draft, basedOn: version, at: now)
        return JSONResponse.make(headers: Self.tag(stored.board)) { stored.write(to: &$0) }
    }

    /// `DELETE /v1/boards/{id}`
    private func remove(_ id: String, _ request: Request) async throws -> Response {
        try Self.checkIsNotBuiltIn(id)
        let version = try SavedObjectRequest(request, of: .board).version()
        try await boards.remove(id, basedOn: version)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("id", id)
            writer.endObject()
        }
    }

    /// `GET /v1/boards/{id}/cards/{card}`
    private func card(_ id: String, of board: String, _ request: Request) async throws -> Response {
        let board = try await storedBoard(board).board
        let card = try Self.card(id, of: board)
        return try await cards.prepare(card, changedBy: QueryParameters(request.uri).parameters).run()
    }

    // MARK: Links

    /// `POST /v1/boards/{id}/links?expires_in=30d`
    private func link(_ id: String, _ request: Request) async throws -> Response {
        try Self.checkIsNotBuiltIn(id)
        let query = QueryParameters(request.uri)
        try query.rejectUnknown(["expires_in"])
        let now = now
        let expires = try query.text("expires_in").map { text throws(RequestFailure) in
            now.advanced(by: try Self.length(text))
        }
        let (link, token) = try await boards.link(id, expires: expires, at: now)
        return JSONResponse.make(.created) { writer in
            writer.beginObject()
            writer.member("id", link.id)
            writer.member("token", token)
            writer.member("path", "/?link=\(token)")
            if let expires = link.expires { writer.member("expires", expires) }
            writer.endObject()
        }
    }

    /// `DELETE /v1/boards/{id}/links`, `DELETE /v1/boards/{id}/links/{link}`
    private func unlink(_ link: String?, _ id: String) async throws -> Response {
        try Self.checkIsNotBuiltIn(id)
        let revoked = try await boards.unlink(id, link: link)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("revoked", Int64(revoked))
            writer.endObject()
        }
    }

    /// `GET /v1/shared`, with the link's secret as `Authorization: Bearer`
    private func shared(_ request: Request) async throws -> Response {
        let board = try await sharedBoard(for: request)
        return JSONResponse.make { board.writeShared(to: &$0) }
    }

    /// `GET /v1/shared/cards/{card}`
    private func sharedCard(_ id: String, _ request: Request) async throws -> Response {
        let board = try await sharedBoard(for: request)
        // A link grants access only to the queries on the board; a different period would be a different query.
        try QueryParameters(request.uri).rejectUnknown([])
        let card = try Self.card(id, of: board)
        let response = try cards.prepare(card, isShared: true)
        let slot = try sharedSlots.takeForQuery()
        defer { withExtendedLifetime(slot) {} }
        return try await response.run()
    }

    /// Returns the board to which a request's secret grants access.
    ///
    /// All invalid secrets get the same response.
    private func sharedBoard(for request: Request) async throws -> Board {
        let header = request.headers[.authorization] ?? ""
        let token = header.lowercased().hasPrefix("bearer ") ? header.dropFirst(7).drop { $0 == " " } : ""
        guard token.utf8.count <= 128, let board = await boards.shared(by: String(token), at: now) else {
            throw RequestFailure.notFound("This link is unknown, was revoked, or has expired.")
        }
        return board
    }

    // MARK: Helpers

    /// Returns a saved or built-in board.
    private func storedBoard(_ id: String) async throws -> StoredBoard {
        guard let ready = BuiltInBoard(rawValue: id) else { return try await boards.board(id) }
        let (names, key) = try await catalog.names(
            BuiltInBoard.names,
            lookingInto: CapturedName.click,
            for: BuiltInBoard.elementKeys
        )
        return StoredBoard(ready.board(names: names, elements: key, at: now))
    }

    private static func card(_ id: String, of board: Board) throws(RequestFailure) -> BoardCard {
        guard let card = board.cards.first(where: { $0.id == id }) else {
            throw .notFound("The board has no card “\(id.prefix(64))”.")
        }
        return card
    }

    private static func checkIsNotBuiltIn(_ id: String) throws(BoardError) {
        guard BuiltInBoard(rawValue: id) != nil else { return }
        throw BoardError(
            .builtIn,
            "“\(id)” is built in and cannot be changed; create your own board with its cards: POST /v1/boards."
        )
    }

    /// Parses a board from a request's body and validates its queries.
    private func draft(_ request: Request, from origin: RequestOrigin) async throws -> BoardDraft {
        let value = try await SavedObjectRequest(request, of: .board).body(
            upTo: BoardLimits.bytes,
            from: origin,
            dependencies
        )
        let draft = try BoardDraft(value)
        try cards.check(draft)
        return draft
    }

    private static func tag(_ board: Board) -> HTTPFields {
        board.version.map(SavedObjectRequest.tag) ?? [:]
    }

    /// Parses a duration such as `30d`.
    private static func length(_ text: String) throws(RequestFailure) -> Duration {
        guard let length = DurationText.length(text), length >= .seconds(60) else {
            throw .malformed("expires_in", "“\(text.prefix(64))” is not a duration: write 12h or 30d.")
        }
        guard length <= .seconds(BoardLimits.linkDays * 86_400) else {
            throw .malformed(
                "expires_in",
                "“\(text.prefix(64))” is longer than \(BoardLimits.linkDays) days; leave it out to never expire."
            )
        }
        return length
    }
}
