// SPDX-License-Identifier: Apache-2.0
/** The console: a page that shows locks, clients and servers, and the small server that delivers it. */
@NullMarked
package io.boltwork.tools.console;

import org.jspecify.annotations.NullMarked;
