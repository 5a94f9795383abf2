package io.boltwork.bench;

import java.time.Duration;
import java.util.Map;

/**
 * What is set up for one measurement.
 *
 * @param jvms how many workers
 * @param clients how many clients in each
 * @param lease the lease of their locks
 * @param renewed whether locks are held for longer than that
 * @param heapMegabytes of each worker
 * @param job what they do
 * @param numbers what the job must know
 */
record Setup(
        int jvms,
        int clients,
        Duration lease,
        boolean renewed,
        int heapMegabytes,
        String job,
        Map<String, Long> numbers) {
    private static final int HEAP = 512;

    static Setup of(int jvms, String job, Map<String, Long> numbers) {
        return new Setup(jvms, 1, Setting.USUAL_LEASE, false, HEAP, job, numbers);
    }

    Setup withClients(int number) {
        return new Setup(jvms, number, lease, renewed, heapMegabytes, job, numbers);
    }

    Setup withLease(Duration other) {
        return new Setup(jvms, clients, other, renewed, heapMegabytes, job, numbers);
    }

    Setup withRenewal() {
        return new Setup(jvms, clients, lease, true, heapMegabytes, job, numbers);
    }

    Setup withHeap(int megabytes) {
        return new Setup(jvms, clients, lease, renewed, megabytes, job, numbers);
    }
}
