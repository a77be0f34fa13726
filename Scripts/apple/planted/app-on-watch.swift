// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// watchos watchos32: cannot find type 'UIApplication' in scope

import UIKit

func name(_ app: UIApplication) {}
