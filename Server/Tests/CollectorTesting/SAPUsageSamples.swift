// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A usage report as sent by clients of SAP Mobile Services.
///
/// It is the format's example.
public enum SAPUsageSamples {
    /// The report's application.
    public static let application = "org.example.shop"
    /// The report's device.
    public static let device = "0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4"
    /// The report's session.
    public static let session = "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10"
    /// The report's id.
    public static let report = "7B6C1F0A-2E64-4C0B-9D7C-5A0E9B1B3C55"
    /// The path to which the report is sent.
    public static let path = path(of: application, device: device)
    /// The report's body.
    public static let body = report(events: events)
    /// The report's events.
    public static let events = [
        #"{"key":"SessionStart","time":"2024-06-10T08:13:20.000+02:00"}"#,
        #"{"type":"viewDisplayed","key":"BehaviorEvent","time":"2024-06-10T08:13:23.120+02:00","view":"Products Listing Screen"}"#,
        #"{"type":"userInteraction","key":"BehaviorEvent","time":"2024-06-10T08:13:29.480+02:00","view":"Products Listing Screen","element":"Products Table","action":"Row Selected","value":"Trail Shoe"}"#,
        #"{"type":"timer","key":"CheckoutDuration","time":"2024-06-10T08:13:40.000+02:00","duration":"88.75","screen":"Checkout","category":"Sales","result":"success","unit":"EUR","measurement":"basket","value":"99.9","cases":"B"}"#,
        #"{"key":"SessionEnd","time":"2024-06-10T08:15:10.250+02:00","duration":"110.25"}"#,
    ]

    /// Returns the path for the reports of an application.
    public static func path(of application: String, and other: String? = nil, device: String? = nil) -> String {
        "/mobileservices/application/\(application)/clientusage/v1/runtime/clientusage/application/\(other ?? application)"
            + (device.map { "/device/\($0)" } ?? "")
    }

    /// Returns a report with events in one session.
    public static func report(
        _ id: String = report,
        application: String = application,
        device: String = device,
        session: String = session,
        events: [String]
    ) -> String {
        #"{"report":"\#(id)","appInfo":{"application":"\#(application)","appVersion":"3.2.0"},"#
            + #""deviceInfo":{"platform":"iOS","platformVersion":"17.5.1","deviceModel":"iPhone","deviceID":"\#(device)"},"#
            + #""sessions":[{"sessionInfo":{"sessionId":"\#(session)"},"events":[\#(events.joined(separator: ","))]}]}"#
    }
}
