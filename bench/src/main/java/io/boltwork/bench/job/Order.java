// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.ExclusionBoard;
import java.util.List;
import java.util.Map;

/**
 * The order to a worker, a line of JSON.
 *
 * @param contender the contender to open
 * @param deployment the deployment that serves the locks
 * @param uris the addresses of the servers
 * @param leaseMillis the lease of the locks
 * @param renewed whether locks are held for longer than the lease
 * @param clients the number of clients to open
 * @param board the file of the {@link ExclusionBoard}
 * @param jvm the number of the worker, from 0
 * @param job the job, see {@link Job}
 * @param numbers other parameters of the job
 */
public record Order(
        String contender,
        BenchDeployment deployment,
        List<String> uris,
        long leaseMillis,
        boolean renewed,
        int clients,
        String board,
        int jvm,
        String job,
        Map<String, Long> numbers) {

    long number(String name) {
        Long value = numbers.get(name);
        if (value == null) {
            throw new IllegalArgumentException("The job " + job + " requires the parameter " + name);
        }
        return value;
    }

    /** Returns an optional parameter, 0 by default. */
    int optional(String name) {
        return Math.toIntExact(numbers.getOrDefault(name, 0L));
    }

    int count(String name) {
        return Math.toIntExact(number(name));
    }

    Order forJvm(int number) {
        return new Order(contender, deployment, uris, leaseMillis, renewed, clients, board, number, job, numbers);
    }
}
