// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension ClickstreamAnalytics {
    /// Names of events an app may record itself although they are reserved.
    public enum EventName {
        /// A screen was shown.
        public static let SCREEN_VIEW = "_screen_view"
    }

    /// Names of reserved attributes.
    public enum Attr {
        /// The screen's name; a screen view needs it.
        public static let SCREEN_NAME = "_screen_name"
        /// What tells two screens of one name apart.
        public static let SCREEN_UNIQUE_ID = "_screen_unique_id"
        /// Where the traffic came from: a search engine, a site.
        public static let TRAFFIC_SOURCE_SOURCE = "_traffic_source_source"
        /// The medium: mail, paid search.
        public static let TRAFFIC_SOURCE_MEDIUM = "_traffic_source_medium"
        /// The campaign's name.
        public static let TRAFFIC_SOURCE_CAMPAIGN = "_traffic_source_campaign"
        /// The campaign's id.
        public static let TRAFFIC_SOURCE_CAMPAIGN_ID = "_traffic_source_campaign_id"
        /// What was searched for.
        public static let TRAFFIC_SOURCE_TERM = "_traffic_source_term"
        /// Which of several advertisements it was.
        public static let TRAFFIC_SOURCE_CONTENT = "_traffic_source_content"
        /// The click's id.
        public static let TRAFFIC_SOURCE_CLID = "_traffic_source_clid"
        /// Whose click id it is.
        public static let TRAFFIC_SOURCE_CLID_PLATFORM = "_traffic_source_clid_platform"
        /// Where the app was installed from.
        public static let APP_INSTALL_CHANNEL = "_app_install_channel"
        /// What the event was worth.
        public static let VALUE = "_value"
        /// The currency of the worth.
        public static let CURRENCY = "_currency"
    }

    /// Names of the attributes of items that every report knows.
    public enum Item {
        /// The item's id; an item without one is left out.
        public static let ITEM_ID = "id"
        /// Its name.
        public static let ITEM_NAME = "name"
        /// Where it is offered.
        public static let LOCATION_ID = "location_id"
        /// Its brand.
        public static let ITEM_BRAND = "brand"
        /// The currency of its price.
        public static let CURRENCY = "currency"
        /// Its price, a number.
        public static let PRICE = "price"
        /// How many, a number or a text that is one.
        public static let QUANTITY = "quantity"
        /// The name of the advertisement that showed it.
        public static let CREATIVE_NAME = "creative_name"
        /// The place of the advertisement.
        public static let CREATIVE_SLOT = "creative_slot"
        /// Its category.
        public static let ITEM_CATEGORY = "category"
        /// Its second category.
        public static let ITEM_CATEGORY2 = "category2"
        /// Its third category.
        public static let ITEM_CATEGORY3 = "category3"
        /// Its fourth category.
        public static let ITEM_CATEGORY4 = "category4"
        /// Its fifth category.
        public static let ITEM_CATEGORY5 = "category5"
    }
}
