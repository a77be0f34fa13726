// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SwiftUI
import Testing

/// Simulated SwiftUI views as a user sees them.
@MainActor
@Suite(.serialized)
struct SimulatedScreenTests {
    private final class Log {
        var lines: [String] = []
    }

    private struct Counter: View {
        let log: Log
        @State private var count = 0
        @State private var isOpen = false
        @Environment(\.scenePhase) private var phase

        var body: some View {
            VStack {
                Text("\(count) in the cart")
                Button("Add") { count += 1 }.accessibilityIdentifier("add")
                if count > 1 { Text("many").onAppear { log.lines.append("many") } }
                Button("Open") { isOpen = true }
            }
            .onChange(of: phase) { log.lines.append("\($0)") }
            .onAppear { log.lines.append("appear") }
            .onDisappear { log.lines.append("disappear") }
            .sheet(isPresented: $isOpen) { Text("sheet") }
        }
    }

    @Test func statePersistsAndViewsAppearOnce() {
        let log = Log()
        let screen = SimulatedScreen(Counter(log: log))
        #expect(screen.texts.isEmpty)
        screen.appear()
        #expect(screen.texts == ["0 in the cart", "Add", "Open"])
        #expect(screen.tap("add"))
        #expect(screen.tap("Add"))
        #expect(screen.texts == ["2 in the cart", "Add", "many", "Open"])
        screen.scenePhase = .background
        screen.disappear()
        #expect(log.lines == ["appear", "many", "background", "disappear"])
    }

    @Test func aSheetIsPresentedAndDismissed() {
        let screen = SimulatedScreen(Counter(log: Log()))
        screen.appear()
        screen.tap("Open")
        #expect(screen.texts.last == "sheet")
        screen.goBack()
        #expect(screen.texts.last == "Open")
    }

    @Test func linksShowTheirDestinations() {
        struct Shop: View {
            let log: Log
            var body: some View {
                NavigationStack {
                    List {
                        ForEach([1, 2], id: \.self) { number in
                            NavigationLink("Shoe \(number)") {
                                Text("page \(number)")
                                    .navigationTitle("Shoe")
                                    .onAppear { log.lines.append("page \(number)") }
                            }
                        }
                    }
                    .navigationTitle("Shop")
                    .onAppear { log.lines.append("list") }
                }
            }
        }
        let log = Log()
        let screen = SimulatedScreen(Shop(log: log))
        screen.appear()
        #expect(screen.title == "Shop")
        screen.tap("Shoe 2")
        #expect(screen.texts == ["page 2"])
        #expect(screen.title == "Shoe")
        screen.goBack()
        #expect(log.lines == ["list", "page 2", "list"])
    }

    @Test func customModifiersAreApplied() {
        struct LoggingModifier: ViewModifier {
            let log: Log
            @State private var shown = 0
            func body(content: Content) -> some View {
                content.onAppear {
                    shown += 1
                    log.lines.append("shown \(shown)")
                }
            }
        }
        let log = Log()
        let screen = SimulatedScreen(Text("a").modifier(LoggingModifier(log: log)))
        screen.appear()
        screen.disappear()
        screen.appear()
        #expect(log.lines == ["shown 1", "shown 2"])
        #expect(screen.texts == ["a"])
    }

    @Test func aHostingControllerShowsItsViews() {
        let log = Log()
        let phone = SimulatedPhone.new()
        phone.launch()
        let window = UIWindow(frame: .zero)
        let host = UIHostingController(rootView: Counter(log: log))
        window.rootViewController = host
        window.makeKeyAndVisible()
        #expect(log.lines == ["appear"])
        #expect(host.simulatedScreen.texts.first == "0 in the cart")
    }
}
