// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.Setting;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The setup of one measurement.
 *
 * @param jvms the number of workers
 * @param clients the number of clients of each worker
 * @param lease the lease of the locks
 * @param renewed whether locks are held for longer than the lease
 * @param servers the number of independent servers; 1 for those of the deployment
 * @param heapMegabytes the heap of each worker
 * @param job the job of the workers
 * @param numbers the parameters of the job
 */
public record Setup(
        int jvms,
        int clients,
        Duration lease,
        boolean renewed,
        int servers,
        int heapMegabytes,
        String job,
        Map<String, Long> numbers) {
    private static final int HEAP = 512;

    public static Setup of(int jvms, String job, Map<String, Long> numbers) {
        return new Setup(jvms, 1, Setting.USUAL_LEASE, false, 1, HEAP, job, numbers);
    }

    public Setup withClients(int number) {
        return new Setup(jvms, number, lease, renewed, servers, heapMegabytes, job, numbers);
    }

    /** Adds a parameter of the job. */
    public Setup with(String name, long value) {
        Map<String, Long> more = new HashMap<>(numbers);
        more.put(name, value);
        return new Setup(jvms, clients, lease, renewed, servers, heapMegabytes, job, more);
    }

    public Setup withLease(Duration other) {
        return new Setup(jvms, clients, other, renewed, servers, heapMegabytes, job, numbers);
    }

    public Setup withRenewal() {
        return new Setup(jvms, clients, lease, true, servers, heapMegabytes, job, numbers);
    }

    /** Sets the number of independent servers. */
    public Setup withServers(int number) {
        return new Setup(jvms, clients, lease, renewed, number, heapMegabytes, job, numbers);
    }

    public Setup withHeap(int megabytes) {
        return new Setup(jvms, clients, lease, renewed, servers, megabytes, job, numbers);
    }
}
