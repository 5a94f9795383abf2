// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.spring.properties.WrongPropertyException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.util.ClassUtils;

/**
 * Refuses a {@link DataSource} that chooses the database by the caller, such as by its tenant. The records of one lock
 * would be in several databases, and several owners would hold it.
 */
final class RoutingDataSources {
    private static final String TYPE = "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource";

    private RoutingDataSources() {}

    static void refuse(DataSource source) {
        ClassLoader loader = RoutingDataSources.class.getClassLoader();
        if (ClassUtils.isPresent(TYPE, loader) && isA(ClassUtils.resolveClassName(TYPE, loader), source)) {
            throw new WrongPropertyException(
                    "boltwork.jdbc.data-source",
                    "The DataSource is an AbstractRoutingDataSource, or wraps one. It chooses the database by the"
                            + " caller, so that a lock would be in several databases and would exclude nobody.",
                    "Set the property to the name of the DataSource bean of one database, in which all locks are. For"
                            + " locks of tenants, add the tenant to their names with a LockNaming bean.");
        }
    }

    /** Asks the source itself, because a wrapper passes the question on. */
    private static boolean isA(Class<?> type, DataSource source) {
        try {
            return source.isWrapperFor(type);
        } catch (SQLException | RuntimeException cannotTell) {
            return type.isInstance(source);
        }
    }
}
