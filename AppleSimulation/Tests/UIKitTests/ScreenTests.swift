// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import UIKit

/// The notifications of controllers when screens change, and of cells when lists scroll.
@MainActor
@Suite(.serialized)
struct ScreenTests {
    private final class Log {
        var lines: [String] = []
    }

    private final class Screen: UIViewController {
        let log: Log

        init(_ title: String, _ log: Log) {
            self.log = log
            super.init(nibName: nil, bundle: nil)
            self.title = title
        }

        required init?(coder: NSCoder) { nil }

        override func viewDidLoad() { note("didLoad") }

        override func viewWillAppear(_ animated: Bool) {
            super.viewWillAppear(animated)
            note("willAppear")
        }

        override func viewDidAppear(_ animated: Bool) {
            super.viewDidAppear(animated)
            note("didAppear")
        }

        override func viewWillDisappear(_ animated: Bool) {
            super.viewWillDisappear(animated)
            note("willDisappear")
        }

        override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            note("didDisappear")
        }

        private func note(_ what: String) { log.lines.append("\(title ?? "") \(what)") }
    }

    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let log = Log()

    init() { phone.launch() }

    private func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
    }

    @Test func pushAndPop() {
        let navigation = UINavigationController(rootViewController: Screen("A", log))
        show(navigation)
        #expect(log.lines == ["A didLoad", "A willAppear", "A didAppear"])
        log.lines = []
        navigation.pushViewController(Screen("B", log), animated: true)
        #expect(log.lines == ["A willDisappear", "B didLoad", "B willAppear", "A didDisappear", "B didAppear"])
        log.lines = []
        navigation.popViewController(animated: true)
        #expect(log.lines == ["B willDisappear", "A willAppear", "B didDisappear", "A didAppear"])
        #expect(navigation.popViewController(animated: true) == nil)
    }

    @Test func aSheetLeavesThePresenterOnScreen() {
        let root = Screen("A", log)
        show(root)
        log.lines = []
        root.present(Screen("B", log), animated: true)
        root.dismiss(animated: true)
        #expect(
            log.lines == ["B didLoad", "B willAppear", "B didAppear", "B willDisappear", "B didDisappear"]
        )
    }

    @Test func aFullScreenPresentationMakesThePresenterDisappear() {
        let root = Screen("A", log)
        show(root)
        log.lines = []
        let other = Screen("B", log)
        other.modalPresentationStyle = .fullScreen
        root.present(other, animated: true)
        #expect(
            log.lines == ["A willDisappear", "B didLoad", "B willAppear", "B didAppear", "A didDisappear"]
        )
        #expect(root.presentedViewController === other && other.presentingViewController === root)
    }

    @Test func tabsReplaceEachOther() {
        let tabs = UITabBarController()
        tabs.viewControllers = [Screen("A", log), Screen("B", log)]
        show(tabs)
        log.lines = []
        tabs.simulate(tab: 1)
        #expect(log.lines == ["A willDisappear", "B didLoad", "B willAppear", "A didDisappear", "B didAppear"])
    }

    @Test func aSubclassWithoutSuperIsNotSeenByExchangedMethods() {
        final class ControllerWithoutSuper: UIViewController {
            override func viewDidAppear(_ animated: Bool) {}
        }
        defer { SimulatedPhone.restoreMethods() }
        var seen: [String] = []
        let method = UIViewController.simulatedViewDidAppear
        let before = method.implementation
        method.setImplementation(
            .init { controller, animated in
                before.body(controller, animated)
                seen.append(controller.title ?? "")
            }
        )
        let controllerWithoutSuper = ControllerWithoutSuper()
        controllerWithoutSuper.title = "controllerWithoutSuper"
        show(controllerWithoutSuper)
        show(Screen("A", log))
        #expect(seen == ["A"])
    }

    @Test func rowsAreNotifiedOfAppearances() {
        final class Rows: NSObject, UITableViewDataSource, UITableViewDelegate {
            var received: [String] = []
            func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 100 }
            func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
                tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
            }
            func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
                received.append("+\(indexPath.row)")
            }
            func tableView(
                _ tableView: UITableView,
                didEndDisplaying cell: UITableViewCell,
                forRowAt indexPath: IndexPath
            ) {
                received.append("-\(indexPath.row)")
            }
            func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
                received.append("select \(indexPath.row)")
            }
            func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {
                received.append(scrollView.isTracking ? "drag" : "?")
            }
        }
        let rows = Rows()
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 393, height: 132), style: .plain)
        table.register(UITableViewCell.self, forCellReuseIdentifier: "row")
        table.dataSource = rows
        table.delegate = rows
        let controller = UIViewController()
        controller.view.addSubview(table)
        show(controller)
        #expect(rows.received == ["+0", "+1", "+2"])
        rows.received = []
        table.simulate(scrollingBy: 44)
        #expect(rows.received == ["drag", "-0", "+3"])
        rows.received = []
        if let cell = table.cellForRow(at: IndexPath(row: 2, section: 0)) { phone.tap(cell) }
        #expect(rows.received == ["select 2"])
        #expect(table.indexPathForSelectedRow == IndexPath(row: 2, section: 0))
    }

    @Test func UIScreenMainIsNotRead() {
        show(UINavigationController(rootViewController: UIViewController()))
        #expect(phone.mainScreenReadCount == 0)
        #expect(UIScreen.main.scale == 3)
        #expect(phone.mainScreenReadCount == 1)
    }

    @Test func theDeviceReportsNothingBeforeMonitoring() {
        let device = UIDevice.current
        #expect(device.batteryLevel == -1 && device.batteryState == .unknown)
        device.isBatteryMonitoringEnabled = true
        device.simulate(battery: 0.25, .charging)
        #expect(device.batteryLevel == 0.25 && device.batteryState == .charging)
        #expect(device.orientation == .unknown)
    }
}
