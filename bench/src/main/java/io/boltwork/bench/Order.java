package io.boltwork.bench;

import java.util.List;
import java.util.Map;

/**
 * What a worker is told to do, as a line of JSON.
 *
 * @param contender which one to open
 * @param deployment what the locks are on
 * @param uris where the servers are
 * @param leaseMillis the lease of its locks
 * @param renewed whether locks are held for longer than that
 * @param clients how many to open
 * @param board the file of the {@link Board}
 * @param jvm which of the workers it is, from 0
 * @param job what to do with them, see {@link Job}
 * @param numbers what else the job must know
 */
record Order(
        String contender,
        Deployment deployment,
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
            throw new IllegalArgumentException("The job " + job + " must be told " + name);
        }
        return value;
    }

    int count(String name) {
        return Math.toIntExact(number(name));
    }

    Order forJvm(int number) {
        return new Order(contender, deployment, uris, leaseMillis, renewed, clients, board, number, job, numbers);
    }
}
