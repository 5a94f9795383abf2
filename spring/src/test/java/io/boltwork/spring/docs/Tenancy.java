// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.LockRefusal;
import org.springframework.context.annotation.Bean;

/** The beans that see each call, as docs/start/spring.md and the Javadoc show them. */
class Tenancy {

    /** The tenant of this thread. */
    static final class Tenant {
        static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "acme");

        static String current() {
            return CURRENT.get();
        }
    }

    /** The application's own exception. */
    static final class BusyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BusyException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    // @start region="naming"
    @Bean
    LockNaming tenants() {
        return call -> Tenant.current() + ":" + call.lockName();
    }
    // @end

    // @start region="refusal"
    @Bean
    LockRefusal busy() {
        return (call, refused) -> {
            throw new BusyException(call.method().getName() + " is already running", refused);
        };
    }
    // @end
}
