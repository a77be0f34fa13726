// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// Executes the commands on standard input, one per line, and prints `ok` after each one:
///
/// - `record COUNT [BYTES [NAME]]`
/// - `durably COUNT`
/// - `flush SECONDS [TIMES]`: starts that many concurrent flushes; prints one `report` and one `complete` each
/// - `ledger [TIMES]`
/// - `upload [force]`: asks the queues to send; prints `upload true` if one does
/// - `waiting ID`: prints `waiting COUNT`
/// - `replace ID URL KEY`
/// - `add ID URL [MORE-THAN]`: adds a destination, or a queue with that rule if it is given; `remove ID`
/// - `target ID`: adds a local destination
/// - `export ID`: reads its pending events, prints `uploaded RUN THREAD N` for each event of a recorder and
///   `removing ID`, removes exactly those events, and prints `removed COUNT`
/// - `consent granted|pending|denied`
/// - `withdraw SECONDS`: denies consent after a last delivery
/// - `erase`: prints `erased FORMER NOW`
/// - `take SPARE`: opens all available descriptors except for that many and prints `took COUNT`; `give`: closes them
/// - `descriptors`: prints `descriptors COUNT`, the number of open descriptors
/// - `open COUNT`: creates that many additional instances, each with its own folder
/// - `spread SECONDS`: records an event with each of them and flushes all of them concurrently; prints one
///   `delivered COUNT` at the end
/// - `file-bytes COUNT`: limits the size of files; no limit if negative
/// - `screen NAME`: shows a screen
/// - `identify USER`, `signout`
/// - `sample`: records events of all kinds that apps record
/// - `crash memory|abort`: crashes the process
/// - `shutdown SECONDS`
/// - `exit`: ends the process, like an app that returns from `main`
struct CommandLoop {
    private let analytics: Analytics
    private let load: LoadGenerator
    private let options: Options
    private var descriptors = Descriptors()
    /// Additional instances.
    ///
    /// All other commands use the main one.
    private var otherInstances: [Analytics] = []

    init(_ analytics: Analytics, _ load: LoadGenerator, _ options: Options) {
        self.analytics = analytics
        self.load = load
        self.options = options
    }

    mutating func run() async {
        // Reading blocks, so it runs on its own thread.
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(line) }
            feed.finish()
        }
        for await line in lines {
            let words = line.split(separator: " ").map(String.init)
            // Exits without releasing the SDK instance, as apps do.
            if words.first == "exit" { exit(0) }
            if options.printsStart { Output.line("command \(line)") }
            do {
                try await execute(words)
                Output.line("ok")
            } catch {
                Output.line("failed \(line): \(error)")
            }
        }
    }

    private mutating func execute(_ words: [String]) async throws {
        func number(_ index: Int, or standard: Int? = nil) throws -> Int {
            guard words.count > index else {
                guard let standard else { throw Options.Failure(description: "a number is missing") }
                return standard
            }
            guard let number = Int(words[index]) else {
                throw Options.Failure(description: "\(words[index]) is not a number")
            }
            return number
        }
        switch words.first {
        case "record":
            load.record(try number(1), bytes: try number(2, or: 0), name: words.count > 3 ? words[3] : "recorded")
        case "durably":
            for _ in 0..<(try number(1)) { try await load.recordDurably() }
        case "flush":
            let timeout = Duration.seconds(try number(1))
            let times = try number(2, or: 1)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<times {
                    group.addTask { [analytics] in await Recorder.report(analytics, timeout) }
                }
            }
        case "ledger":
            for _ in 0..<(try number(1, or: 1)) { Output.line("ledger \(analytics.ledger().json)") }
        case "upload":
            Output.line("upload \(analytics.requestUpload(force: words.last == "force"))")
        case "waiting" where words.count == 2:
            guard let id = DestinationID(words[1]) else { throw Options.Failure(description: "invalid queue id") }
            Output.line("waiting \(analytics.pendingCount(for: id))")
        case "replace" where words.count == 4:
            try analytics.replaceDestination(try Options.destination(words[1], words[2], key: words[3]))
        case "add" where words.count > 2:
            let rules = words.count > 3 ? QueuePolicy(uploadWhenMoreThan: try number(3)) : nil
            try options.add(words[1], words[2], rules, to: analytics)
        case "remove" where words.count == 2:
            guard let id = DestinationID(words[1]), analytics.removeDestination(id) else {
                throw Options.Failure(description: "no destination to remove")
            }
        case "target" where words.count == 2:
            guard let id = DestinationID(words[1]) else { throw Options.Failure(description: "invalid destination id") }
            try analytics.addDestination(.local(id))
        case "export" where words.count == 2:
            guard let id = DestinationID(words[1]) else { throw Options.Failure(description: "invalid destination id") }
            try export(id)
        case "consent" where words.count == 2:
            analytics.setConsent(try Options.consent(words[1]))
        case "withdraw":
            let timeout = Duration.seconds(try number(1))
            await analytics.setConsent(.denied, source: "command", after: .flush(timeout: timeout))
        case "erase":
            let previous = analytics.installationID
            try await analytics.erase()
            Output.line("erased \(previous) \(analytics.installationID)")
        case "take":
            Output.line("took \(descriptors.occupyAll(except: try number(1)))")
        case "give":
            descriptors.release()
        case "descriptors":
            Output.line("descriptors \(Descriptors.count)")
        case "open":
            for _ in 0..<(try number(1)) {
                otherInstances.append(try Analytics(try options.configuration(otherInstances.count + 1)))
            }
        case "spread":
            let timeout = Duration.seconds(try number(1))
            let instances = otherInstances
            let delivered = await withTaskGroup(of: UInt64.self) { group in
                for analytics in instances {
                    analytics.record("spread")
                    group.addTask { await analytics.flush(timeout: timeout).destinations["collector"]?.delivered ?? 0 }
                }
                return await group.reduce(0, +)
            }
            Output.line("delivered \(delivered)")
        case "file-bytes":
            try Options.Host.limit("file-bytes", RLIMIT_FSIZE, to: try number(1))
        case "screen" where words.count == 2:
            analytics.screen(words[1])
        case "identify" where words.count == 2:
            analytics.identify(words[1])
        case "signout":
            analytics.signOut()
        case "sample":
            Sample.record(to: analytics)
        case "crash" where words.last == "memory":
            // This address is never mapped.
            UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "crash" where words.last == "abort":
            abort()
        case "shutdown":
            await analytics.shutdown(timeout: .seconds(try number(1)))
        default:
            throw Options.Failure(description: "unknown command")
        }
    }

    /// Reads, reports and removes the pending events, as an app's own uploader does.
    private func export(_ target: DestinationID) throws {
        let snapshot = try analytics.pendingEvents(for: target)
        Output.line("exporting \(target)")
        var count: UInt64 = 0
        var events = snapshot.events.makeAsyncIterator()
        while let event = try events.next() {
            count += 1
            if let run = event.attributes["run"]?.string, let thread = event.attributes["thread"]?.integer,
                let number = event.attributes["n"]?.integer
            {
                Output.line("uploaded \(run) \(thread) \(number)")
            }
        }
        Output.line("removing \(target)")
        let removed = try snapshot.remove()
        Output.line("removed \(removed)")
        guard removed == count else {
            throw Options.Failure(description: "\(count) events were read, but \(removed) were removed")
        }
    }
}
