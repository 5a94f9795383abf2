// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.contract.LockSite;
import io.boltwork.spi.LockBackend;
import io.boltwork.store.RecordKey;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ServerSocketFactory;

/** An etcd with one member, which clients reach through a link that can be cut. */
final class EtcdSite implements LockSite {
    static final EtcdKeys KEYS = new EtcdKeys("/boltwork");

    /** One server for all tests of this JVM, with which it ends. */
    private static EtcdSite shared;

    private final EtcdCluster cluster = EtcdCluster.start(1, "--unsafe-no-fsync");
    private final FaultyLink link = FaultyLink.to(cluster.port(0), ServerSocketFactory.getDefault());

    static synchronized EtcdSite shared() {
        assumeTrue(EtcdCluster.isInstalled(), "skipped: no etcd on the PATH");
        if (shared == null) {
            shared = new EtcdSite();
        }
        return shared;
    }

    String endpoints() {
        return "http://127.0.0.1:" + link.port();
    }

    FaultyLink link() {
        return link;
    }

    EtcdCluster cluster() {
        return cluster;
    }

    static EtcdOptions options() {
        return EtcdOptions.defaults()
                .withCommandTimeout(Slack.of(Duration.ofMillis(700)))
                .withSessionTimeout(Duration.ofSeconds(4));
    }

    @Override
    public LockBackend newBackend() {
        return EtcdBackend.connect(endpoints(), options());
    }

    /** Sends a request as an administrator, without the link. */
    Json admin(String path, Map<String, ?> request) {
        try {
            return Json.read(cluster.post("/v3/" + path, Json.text(request)));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    List<Json> range(byte[] folder) {
        return admin("kv/range", Map.of("key", folder, "range_end", EtcdKeys.end(folder)))
                .list("kvs");
    }

    /** Deletes records as a sweep does, so that what was read as missing is too old. */
    private void delete(List<byte[]> keys) {
        for (int i = 0; i < keys.size(); i += EtcdStore.TOGETHER) {
            List<Map<String, ?>> success = new ArrayList<>(EtcdStore.deletions(
                    keys.subList(i, Math.min(keys.size(), i + EtcdStore.TOGETHER)).stream()
                            .map(key -> Base64.getEncoder().encodeToString(key))
                            .toList()));
            success.add(Map.of("request_put", Map.of("key", KEYS.swept(), "value", new byte[0])));
            admin("kv/txn", Map.of("success", success));
        }
    }

    @Override
    public void flush() {
        delete(range(KEYS.records()).stream().map(kv -> kv.bytes("key")).toList());
    }

    @Override
    public void deleteLock(String name) {
        List<byte[]> keys = new ArrayList<>();
        for (RecordKey.Kind kind : RecordKey.Kind.values()) {
            keys.add(KEYS.record(new RecordKey(kind, name)));
        }
        delete(keys);
    }

    @Override
    public void freeze() {
        cluster.freeze(0);
    }

    @Override
    public void thaw() {
        cluster.thaw(0);
    }

    @Override
    public void disconnectAll() {
        link.cut(FaultyLink.Kind.ALL).inject();
    }

    @Override
    public void restartEmpty() {
        cluster.restartEmpty();
    }

    @Override
    public int listeners() {
        return range(EtcdKeys.bytes("/boltwork/alive/")).size();
    }

    @Override
    public Duration clockTolerance() {
        return EtcdOptions.defaults().clockTolerance();
    }
}
