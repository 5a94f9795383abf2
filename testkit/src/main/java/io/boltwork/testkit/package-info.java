/** What tests of Boltwork and of its backends need: real servers, child JVMs, and the patience that suits the machine. */
@NullMarked
package io.boltwork.testkit;

import org.jspecify.annotations.NullMarked;
