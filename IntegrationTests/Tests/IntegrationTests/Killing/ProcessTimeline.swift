// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport

/// The output of successive processes of one folder on one timeline: a line's number is its moment.
struct ProcessTimeline {
    /// Identifies an event.
    struct Key: Hashable {
        var run: String
        var thread: Int
        var number: Int

        init(run: String, thread: Int, number: Int) {
            self.run = run
            self.thread = thread
            self.number = number
        }

        /// The key of a recorder's event; nil for an event of the SDK.
        init?(_ row: CollectedRow) {
            guard let run = row.text("run"), let thread = row.number("thread"), let number = row.number("n") else {
                return nil
            }
            self.init(run: run, thread: thread, number: number)
        }
    }

    /// An event for which `record` returned a result.
    struct Event {
        var key: Key
        /// The number of the recording process, starting at 1.
        var process: Int
        var sequence: UInt64
        /// The reason why it was not recorded; nil if it was.
        var dropReason: String?
        /// True if only memory holds the event, so that a kill loses it.
        var isInMemoryOnly: Bool
        /// The event was recorded between these two moments.
        var span: ClosedRange<Int>

        /// Whether the event survives a kill.
        var isSurviving: Bool { dropReason == nil && !isInMemoryOnly }
    }

    /// A command that was sent to a process.
    struct Command {
        var words: [String]
        var started: Int
        /// When it completed, or when the next process started if it was interrupted by a kill.
        var ended: Int?
        /// Whether the process reported its completion.
        var isCompleted = false

        /// Whether the command had ended by this moment.
        ///
        /// False if it may have had an effect after it.
        func hasEnded(by moment: Int) -> Bool { ended.map { $0 <= moment } ?? false }
    }

    /// The consent that a process found at its start.
    struct Consent {
        var word: String
        var at: Int
    }

    /// A completed erasure of an installation.
    struct Erasure: Hashable {
        var previousID: String
        var newID: String
    }

    /// Events that a process read, and when it reported that it removed them; nil if it did not get that far.
    struct Export {
        var keys: [Key] = []
        var removed: Int?
        var started: Int
    }

    private(set) var events: [Event] = []
    private(set) var exports: [Export] = []
    private(set) var commands: [Command] = []
    private(set) var consents: [Consent] = []
    /// The installation's ids in order of appearance.
    private(set) var installations: [String] = []
    private(set) var erasures: [Erasure] = []
    private(set) var processCount = 0
    /// Unexpected output.
    private(set) var faults: [String] = []
    private var now = 0
    /// The last ledgers of each installation.
    private var accounts: [String: [String: RecorderLedger]] = [:]

    /// All events that were reported as recorded.
    var survivingEvents: [Event] { events.filter(\.isSurviving) }

    /// Adds the complete output of a process.
    mutating func add(_ lines: [String], run: String) throws {
        processCount += 1
        begin()
        var last: [Int: Int] = [:]
        let startTime = now
        for line in lines {
            now += 1
            let (word, rest) = Self.splitFirstWord(line)
            switch word {
            case "kept", "held", "lost":
                guard
                    let event = Self.event(
                        line,
                        run: run,
                        process: processCount,
                        since: last,
                        startTime: startTime,
                        now: now
                    )
                else {
                    continue
                }
                events.append(event)
                last[event.key.thread] = now
            case "command":
                commands.append(Command(words: rest.split(separator: " ").map(String.init), started: now))
                last[0] = now
            case "ok":
                if commands.last?.ended == nil, !commands.isEmpty {
                    commands[commands.count - 1].ended = now
                    commands[commands.count - 1].isCompleted = true
                }
                last[0] = now
            case "ready":
                addInstallation(rest)
            case "erased":
                let ids = rest.split(separator: " ").map(String.init)
                guard ids.count == 2 else { continue }
                erasures.append(Erasure(previousID: ids[0], newID: ids[1]))
                addInstallation(ids[1])
            case "exporting":
                exports.append(Export(started: now))
            case "uploaded":
                let words = rest.split(separator: " ").map(String.init)
                // A kill may have truncated the line.
                guard words.count == 3, let thread = Int(words[1]), let number = Int(words[2]) else { continue }
                exports[exports.count - 1].keys.append(Key(run: words[0], thread: thread, number: number))
            case "removed":
                exports[exports.count - 1].removed = now
            case "consent":
                consents.append(Consent(word: rest, at: now))
            case "ledger":
                try check(rest)
            case "failed":
                faults.append("process \(processCount): \(line)")
            default:
                continue
            }
        }
    }

    /// A summary of commands and initial states, for investigating a failure.
    var summary: String {
        let shownCommands = commands.map {
            ($0.started, "\($0.words.joined(separator: " "))\($0.isCompleted ? "" : " (killed)")")
        }
        let shownConsents = consents.map { ($0.at, "begins \($0.word)") }
        return (shownCommands + shownConsents).sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    }

    /// Starts a new process, which ends the interrupted command of the previous one.
    private mutating func begin() {
        now += 1
        guard let command = commands.last, command.ended == nil else { return }
        commands[commands.count - 1].ended = now
    }

    private mutating func addInstallation(_ installation: String) {
        if !installations.contains(installation) { installations.append(installation) }
    }

    /// Checks that the ledger is balanced and that its counts never shrink.
    private mutating func check(_ line: String) throws {
        let ledgers = try RecorderLedger.all(line)
        guard let installation = installations.last else { return }
        for (destination, ledger) in ledgers {
            if !ledger.isBalanced { faults.append("process \(processCount), \(destination): unbalanced \(ledger)") }
            guard let before = accounts[installation]?[destination] else { continue }
            // Only the total is compared: events for other destinations count for a destination until it has read them.
            if ledger.total < before.total {
                faults.append("process \(processCount), \(destination): recorded shrank from \(before) to \(ledger)")
            }
            if ledger.droppedTotal < before.droppedTotal {
                faults.append("process \(processCount), \(destination): dropped shrank from \(before) to \(ledger)")
            }
        }
        accounts[installation, default: [:]].merge(ledgers) { $1 }
    }

    private static func splitFirstWord(_ line: String) -> (word: String, rest: String) {
        let word = line.prefix { $0 != " " }
        return (String(word), String(line.dropFirst(word.count + 1)))
    }

    private static func event(
        _ line: String,
        run: String,
        process: Int,
        since last: [Int: Int],
        startTime: Int,
        now: Int
    ) -> Event? {
        let words = line.split(separator: " ").map(String.init)
        // A kill may have truncated the line.
        guard words.count == (words.first == "lost" ? 5 : 4), let sequence = UInt64(words[1]),
            let thread = Int(words[2]), let number = Int(words[3])
        else { return nil }
        return Event(
            key: Key(run: run, thread: thread, number: number),
            process: process,
            sequence: sequence,
            dropReason: words.count == 5 ? words[4] : nil,
            isInMemoryOnly: words[0] == "held",
            // A thread reports its events in order: it recorded this one after it had reported the previous one.
            span: (last[thread] ?? startTime)...now
        )
    }
}
