// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.tools.connect.EtcdAccess;
import io.boltwork.tools.connect.StoreOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Examines an etcd: first as a client of locks sees it, then each member by itself, and the cluster. */
final class EtcdExamination implements Examination {
    /** From this part of the quota on, the user is warned. */
    private static final double FULL = 0.8;

    private static final int READS = 50;
    private static final long LONGEST = 2_000_000_000L;
    private static final String SPACE =
            "compact and defragment the database (etcdctl compact, etcdctl defrag), or raise --quota-backend-bytes";

    private static final Pattern QUOTA = Pattern.compile("(?m)^etcd_server_quota_backend_bytes (\\S+)$");

    private final StoreOptions store;
    private final Latencies latencies;
    private final Diagnosis diagnosis;
    private final EtcdAccess etcd;
    private final String address;

    EtcdExamination(StoreOptions store, Latencies latencies, Diagnosis diagnosis) {
        this.store = store;
        this.latencies = latencies;
        this.diagnosis = diagnosis;
        this.etcd = EtcdAccess.of(store);
        this.address = etcd.address();
    }

    @Override
    public void examine() {
        try (LockClient locks = store.connectToLook("boltwork doctor")) {
            diagnosis.health(address, locks.health());
            ProbeLock.measure(locks, address, diagnosis).ifPresent(timing -> latencies.check(diagnosis, timing));
        } catch (BackendException why) {
            diagnosis.cannotConnect(address, why);
        }
        try {
            if (members()) {
                cluster();
                reads();
            }
        } catch (BackendException refused) {
            diagnosis.note(
                    "cluster",
                    address,
                    "the cluster could not be examined: " + refused.getMessage(),
                    "its members, its alarms and its space are not known",
                    "give the user of the application, and see what else is found");
        }
    }

    /** Examines the members of the URI. Returns whether one has answered. */
    private boolean members() {
        Map<String, Map<String, Object>> answers = new LinkedHashMap<>();
        Map<String, String> silent = new LinkedHashMap<>();
        for (String member : etcd.members()) {
            try {
                answers.put(member, etcd.ask(member, "maintenance/status", "{}"));
            } catch (BackendException failed) {
                if (!failed.isRetryable()) {
                    throw failed;
                }
                silent.put(member, String.valueOf(failed.getMessage()));
            }
        }
        if (answers.isEmpty()) {
            return false;
        }
        diagnosis.reached();
        silent.forEach((member, why) -> diagnosis.warning(
                "member",
                member,
                why,
                "the cluster survives fewer failures, and a client that asks this member first is slower",
                "start this member, or correct --uri"));
        answers.forEach(this::member);
        return true;
    }

    private void member(String member, Map<String, Object> status) {
        if (EtcdAccess.text(status, "leader").replace("0", "").isEmpty()) {
            diagnosis.severe(
                    "leader",
                    member,
                    "it knows no leader",
                    "no lock can be acquired or renewed until a majority of the members is connected",
                    "start the members that are down, and look at the network between them");
        }
        double used = number(EtcdAccess.text(status, "dbSize"));
        double quota = quota(member, status);
        if (quota > 0 && used >= FULL * quota) {
            diagnosis.warning(
                    "space",
                    member,
                    String.format(
                            Locale.ROOT,
                            "its database has %.0f %% of its quota of %.0f MiB",
                            100 * used / quota,
                            quota / (1 << 20)),
                    "when the quota is exceeded, etcd refuses to write: no lock can be acquired or renewed",
                    SPACE);
        }
    }

    /** Returns the quota in bytes; 0 if it is not known. Before etcd 3.6, only the metrics have it. */
    private double quota(String member, Map<String, Object> status) {
        double told = number(EtcdAccess.text(status, "dbSizeQuota"));
        if (told > 0) {
            return told;
        }
        try {
            Matcher metric = QUOTA.matcher(etcd.metrics(member));
            return metric.find() ? number(metric.group(1)) : 0;
        } catch (BackendException elsewhere) { // they may be on another port
            return 0;
        }
    }

    private static double number(String text) {
        try {
            return text.isEmpty() ? 0 : Double.parseDouble(text);
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }

    private void cluster() {
        for (Map<String, Object> alarm :
                EtcdAccess.objects(etcd.ask("maintenance/alarm", "{\"action\":\"GET\"}"), "alarms")) {
            boolean isSpace = EtcdAccess.text(alarm, "alarm").equals("NOSPACE");
            diagnosis.severe(
                    isSpace ? "space" : "alarm",
                    address,
                    "the alarm " + EtcdAccess.text(alarm, "alarm") + " is raised"
                            + (isSpace ? ": the space quota is exceeded" : ""),
                    isSpace
                            ? "etcd refuses to write: no lock can be acquired or renewed"
                            : "the members may have different data: two clients may hold the same lock",
                    isSpace ? SPACE + ", then etcdctl alarm disarm" : "replace the member whose data are wrong");
        }
        List<Map<String, Object>> voters = EtcdAccess.objects(etcd.ask("cluster/member/list", "{}"), "members").stream()
                .filter(member -> !EtcdAccess.text(member, "isLearner").equals("true"))
                .toList();
        if (voters.size() == 1) {
            diagnosis.warning(
                    "quorum",
                    address,
                    "the cluster has one member",
                    "locks cannot be taken or renewed while it is down, and are lost with its disk",
                    "run three members, on different machines");
        } else if (voters.size() % 2 == 0) {
            diagnosis.note(
                    "quorum",
                    address,
                    "the cluster has " + voters.size() + " members",
                    "it survives no more failures than one with " + (voters.size() - 1) + " members",
                    "add one member, or remove one");
        }
    }

    private void reads() {
        long[] nanos = new long[READS];
        int done = 0;
        long end = System.nanoTime() + LONGEST;
        while (done < READS && (done == 0 || System.nanoTime() < end)) {
            long sent = System.nanoTime();
            etcd.note();
            nanos[done++] = System.nanoTime() - sent;
        }
        latencies.check(diagnosis, Timing.of("read", address, Arrays.copyOf(nanos, done)));
    }
}
