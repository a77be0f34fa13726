// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import TrackwayCore
internal import TrackwayPlatform

/// A process that receives signals and reports their events.
///
/// It writes one line per event to standard output and reads one command per line from standard input. Its arguments
/// select what it does before it reads commands; see `Preparation`.
@main
struct LifecycleProbe {
    /// The preparations before commands are read, in the order of the arguments.
    enum Preparation: String {
        /// Observes; every grace period ends immediately.
        case observe
        /// Observes; grace periods are held until "finish" is read, for at most a minute.
        case hold
        /// Observes; grace periods are held until they expire after 50 ms.
        case bounded
        /// Releases every observation.
        case cancel
        /// Handles SIGTERM and continues.
        case handleTermination = "handle-termination"
        /// Handles SIGTERM once and continues.
        case handleTerminationOnce = "handle-termination-once"
        /// Handles SIGTERM and passes it on to the previous handler.
        case chainTermination = "chain-termination"
        /// Ignores SIGHUP.
        case ignoreHangUp = "ignore-hang-up"
        /// Blocks SIGTERM and waits for it in another thread.
        case waitForTermination = "wait-for-termination"
    }

    static let heldGracePeriods = Locked<[GracePeriod]>([])
    nonisolated(unsafe) private static var previous = sigaction()

    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 3 {
            switch arguments[1] {
            case "transports": TransportProbe.transports(arguments[2])
            case "starved": TransportProbe.starved(arguments[2])
            case "exiting": TransportProbe.exiting(arguments[2])
            case "threads": TransportProbe.threads(arguments[2])
            default: break
            }
        }
        var observations: [LifecycleObservation] = []
        for argument in CommandLine.arguments.dropFirst() {
            guard let preparation = Preparation(rawValue: argument) else {
                printLine("unknown \(argument)")
                exit(64)
            }
            switch preparation {
            case .observe: observations.append(observe(.seconds(60), holds: false))
            case .hold: observations.append(observe(.seconds(60), holds: true))
            case .bounded: observations.append(observe(.milliseconds(50), holds: true))
            case .cancel: observations = []
            case .handleTermination: handleTermination(flags: 0)
            case .handleTerminationOnce: handleTermination(flags: Int32(bitPattern: UInt32(SA_RESETHAND)))
            case .chainTermination: chainTermination()
            case .ignoreHangUp: signal(SIGHUP, SIG_IGN)
            case .waitForTermination: waitForTermination()
            }
        }
        printLine("ready")
        listen()
        withExtendedLifetime(observations) { exit(0) }
    }

    private static func listen() {
        while let command = nextCommand() {
            switch command {
            case "finish":
                let gracePeriods = heldGracePeriods.withLock { heldGracePeriods in
                    defer { heldGracePeriods = [] }
                    return heldGracePeriods
                }
                for gracePeriod in gracePeriods {
                    gracePeriod.finish()
                }
            case "exit":
                exit(3)
            case "fork":
                fork()
            case "log":
                StandardErrorLog.writeLine("a line\n")
                printLine("logged")
            default:
                printLine("unknown \(command)")
            }
        }
    }

    /// Reads one line with a direct system call.
    ///
    /// The thread sanitizer delivers signals during calls that it intercepts, such as `read`.
    private static func nextCommand() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }

    private static func observe(_ timeout: Duration, holds: Bool) -> LifecycleObservation {
        let limits = LifecycleTimeouts(background: timeout, termination: timeout)
        do {
            return try LifecycleSignals.process.observe(timeout: limits) { event, gracePeriod in
                if holds, gracePeriod.limit > .zero { heldGracePeriods.withLock { $0.append(gracePeriod) } }
                switch event {
                case .entersBackground: printLine("background")
                case .entersForeground: printLine("foreground")
                case .terminates(let signal): printLine("terminates \(signal)")
                case .exits: printLine("exits")
                }
            }
        } catch {
            printLine("\(error)")
            exit(70)
        }
    }

    // MARK: The host's own handlers

    private static func handleTermination(flags: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in LifecycleProbe.printLine("host") }
        action.sa_flags = flags
        sigaction(SIGTERM, &action, nil)
    }

    private static func chainTermination() {
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { number, information, machine in
            LifecycleProbe.printLine("host")
            LifecycleProbe.previous.__sigaction_handler.sa_sigaction?(number, information, machine)
        }
        action.sa_flags = SA_SIGINFO
        sigaction(SIGTERM, &action, &previous)
    }

    private static func waitForTermination() {
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &only, nil)
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { _ in
                var only = sigset_t()
                sigemptyset(&only)
                sigaddset(&only, SIGTERM)
                var number: Int32 = 0
                while sigwait(&only, &number) == 0 {
                    LifecycleProbe.printLine("waited \(number)")
                }
                return nil
            },
            nil
        )
    }

    /// Forks a child that has none of our threads and raises SIGTERM, and reports its wait status.
    private static func fork() {
        let child = systemFork()
        if child == 0 {
            raise(SIGTERM)
            _exit(0)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        printLine("child \(status & 0x7f)")
    }

    /// Writes one line with one system call.
    ///
    /// Lines from different threads therefore do not mix.
    static func printLine(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// Calls `fork`, which is unavailable in Swift.
    ///
    /// It is unavailable because few calls are safe in the child; the code above makes only such calls.
    private static func systemFork() -> pid_t {
        let symbol = dlsym(nil, "fork")
        return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    }
}
