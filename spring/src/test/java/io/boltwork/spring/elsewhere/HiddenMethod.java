// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.elsewhere;

import io.boltwork.Lease;
import io.boltwork.spring.CurrentLease;
import io.boltwork.spring.DistributedLock;

/** A public class whose public method is inherited from a class that is not public. */
public class HiddenMethod extends PackagePrivate {

    /** Returns the class of the bean. */
    public static Class<?> type() {
        return HiddenMethod.class;
    }

    /** Calls the method of the class that is not public. */
    public static String call(Object bean) {
        return ((PackagePrivate) bean).run();
    }
}

class PackagePrivate {
    @DistributedLock("hidden")
    public String run() {
        return CurrentLease.find().map(Lease::lockName).orElse("none");
    }
}
