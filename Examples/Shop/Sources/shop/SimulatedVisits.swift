// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore

/// Simulates visits one after another and prints the visitors' actions.
struct SimulatedVisits: Sendable {
    let options: Options
    let visitors: Int
    let analytics: ShopAnalytics

    /// Runs until the last visitor has left.
    func run() async {
        for number in 1...visitors {
            if options.visitorsBeforeConsent.map({ number > $0 }) ?? false { analytics.grantConsent() }
            await visit(number)
        }
    }

    /// Returns the session timeout, which is scaled like the pauses: a longer absence starts a new session.
    ///
    /// At maximum speed no time passes, so every visit starts a new session.
    static func sessionTimeout(pace: Double?) -> Duration {
        pace.map { .seconds(60) / $0 } ?? .zero
    }

    private func visit(_ number: Int) async {
        // The previous visitor left long ago.
        await wait(Visitor.longAbsence)
        analytics.enterForeground()
        var shop = Shop(customer: Customer(seed: options.seed, number: UInt64(number)).id)
        var visitor = Visitor(seed: options.seed, number: UInt64(number))
        printStep(number, "enters")
        await handle(shop.enter(), of: number, in: &shop)
        while !shop.hasLeft {
            let action = visitor.nextAction(in: shop)
            if action.absence > .zero {
                analytics.enterBackground()
                await wait(action.absence)
                analytics.enterForeground()
            }
            if action.lingers { await pauseOnScreen() }
            await wait(action.pause)
            await handle(shop.press(action.key), of: number, in: &shop)
        }
        analytics.enterBackground()
        analytics.signOut()
        if let till = options.till { analytics.recordTillCount(after: number, for: till) }
        if options.withdrawsConsentBriefly, number.isMultiple(of: 2) { await analytics.withdrawConsentBriefly() }
        printStep(number, "leaves")
    }

    private func handle(_ events: [ShopEvent], of number: Int, in shop: inout Shop) async {
        for event in events {
            if case .beganCheckout = event {
                analytics.identify(Customer(seed: options.seed, number: UInt64(number)))
            }
            await analytics.record(event)
            switch event {
            case .beganCheckout:
                printStep(number, "checkout")
            case .ordered:
                await PaymentService.takePayment()
                await handle(shop.paymentFinished(isPaid: true), of: number, in: &shop)
            case .purchased:
                printStep(number, "purchased")
            case .screenShown, .searched, .added, .removed, .choseDelivery, .chosePayment, .leftShop:
                break
            }
        }
    }

    /// Waits in real time at any pace: engagement is recorded only from one second on.
    private func pauseOnScreen() async {
        guard options.pace != nil else { return }
        // This task is never canceled.
        try? await Task.sleep(for: .milliseconds(1_100))
    }

    private func wait(_ duration: Duration) async {
        guard let pace = options.pace else { return }
        // This task is never canceled.
        try? await Task.sleep(for: duration / pace)
    }

    private func printStep(_ number: Int, _ step: String) {
        let line = "visitor \(number) \(step)"
        if options.printsJSON { Output.error(line) } else { Output.line(line) }
    }
}
