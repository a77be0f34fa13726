// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore

/// A visit by a person at the terminal.
struct InteractiveVisit {
    let customer: String?
    let analytics: ShopAnalytics

    /// Runs until the person leaves.
    ///
    /// - Throws: `UsageError` without a terminal.
    func run() async throws {
        let terminal = try Terminal()
        if let customer { analytics.identify(customer) }
        var shop = Shop(customer: customer ?? "guest")
        terminal.enter()
        defer { terminal.leave() }
        await handle(shop.enter(), in: &shop, on: terminal)
        while !shop.hasLeft {
            draw(shop, on: terminal)
            switch terminal.next() {
            case .key(let key):
                await handle(shop.press(key), in: &shop, on: terminal)
            case .redraw:
                continue
            case .closed:
                await handle(shop.press(.character("q")), in: &shop, on: terminal)
                return
            }
        }
    }

    private func handle(_ events: [ShopEvent], in shop: inout Shop, on terminal: Terminal) async {
        for event in events {
            await analytics.record(event)
            if case .ordered = event {
                draw(shop, on: terminal)
                await PaymentService.takePayment(after: .milliseconds(700))
                await handle(shop.paymentFinished(isPaid: true), in: &shop, on: terminal)
            }
        }
    }

    private func draw(_ shop: Shop, on terminal: Terminal) {
        let size = terminal.size()
        terminal.draw(shop.render(columns: size.columns, rows: size.rows))
    }
}
