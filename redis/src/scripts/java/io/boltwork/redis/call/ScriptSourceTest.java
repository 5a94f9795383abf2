// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.redis.Client;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Command.Restore;
import io.boltwork.spi.Command.Withdraw;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.Witness;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisURI;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the scripts' headers list the arguments that Java sends and the codes that the script returns, and that
 * the server computes the same SHA-1.
 */
class ScriptSourceTest {
    private static final Pattern NAME = Pattern.compile("\\$([A-Z_]+)");
    private static final Pattern INCLUDE = Pattern.compile("--- @include \"([a-z]+)\"");
    private static final Pattern LISTED = Pattern.compile("--   (\\d+) +([A-Z_]+) .*");

    static Stream<Script> scripts() {
        return Stream.of(
                Script.ACQUIRE,
                Script.RELEASE,
                Script.RENEW,
                Script.RESTORE,
                Script.WITHDRAW,
                Script.FORCE_RELEASE,
                Script.SHARE_ACQUIRE,
                Script.SHARE_RELEASE,
                Script.SHARE_RENEW,
                Script.SHARE_RESTORE,
                Script.SHARE_WITHDRAW,
                Script.SHARE_FORCE_RELEASE,
                Script.SHARE_RESIZE,
                Script.LATCH_SET,
                Script.LATCH_COUNT,
                Script.LATCH_AWAIT,
                Script.VOTE,
                Script.RAISE,
                Script.GIVE_BACK,
                Script.WITNESS,
                Script.ANNOUNCE,
                Script.PROBE);
    }

    /** Returns the text of a file, with comments and names instead of numbers. */
    private static String file(String name) {
        try (InputStream in =
                Objects.requireNonNull(Script.class.getResourceAsStream("/io/boltwork/redis/" + name + ".lua"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> header(Script script) {
        return file(script.name())
                .lines()
                .takeWhile(line -> line.startsWith("--"))
                .toList();
    }

    /** Returns the codes that a file and those that it includes name, except those that only a header lists. */
    private static Set<String> named(String file) {
        Set<String> names = new TreeSet<>();
        NAME.matcher(file(file)).results().map(name -> name.group(1)).forEach(names::add);
        names.retainAll(Stream.of(ReplyCode.values()).map(ReplyCode::name).toList());
        INCLUDE.matcher(file(file)).results().forEach(include -> names.addAll(named("include/" + include.group(1))));
        return names;
    }

    private static Set<String> listedCodes(Script script) {
        Set<String> listed = new TreeSet<>();
        for (String line : header(script)) {
            Matcher matcher = LISTED.matcher(line);
            if (matcher.matches()) {
                ReplyCode code = ReplyCode.of(Integer.parseInt(matcher.group(1)));
                assertThat(code.name()).isEqualTo(matcher.group(2));
                listed.add(code.name());
            }
        }
        return listed;
    }

    /** Returns the numbers listed under KEYS or ARGV; under renew's ARGV, those for one key follow. */
    private static List<String> listed(Script script, String section) {
        List<String> lines = header(script);
        return lines.subList(lines.indexOf("-- " + section) + 1, lines.size()).stream()
                .takeWhile(line -> line.startsWith("--   "))
                .filter(line -> line.charAt(5) != ' ') // not the rest of the line before
                .map(line -> line.substring(5).split(" ")[0])
                .toList();
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void theHeaderHasItsFiveParts(Script script) {
        List<String> lines = header(script);
        assertThat(lines.get(0)).matches("-- [A-Z].*[.;,:]?[a-z.]$");
        assertThat(lines).contains("-- KEYS", "-- ARGV");
        assertThat(lines).anyMatch(line -> line.startsWith("-- Returns {server ms"));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void theHeaderListsTheCodesThatAreReturned(Script script) {
        Set<String> listed = listedCodes(script);
        if (script == Script.RELEASE) { // its next request always queues
            listed.add(ReplyCode.REFUSED.name());
        } else if (script == Script.SHARE_RELEASE) {
            assertThat(header(script)).anyMatch(line -> line.endsWith("as in shareacquire.lua"));
            listed.addAll(listedCodes(Script.SHARE_ACQUIRE));
        }
        assertThat(named(script.name())).isEqualTo(listed);
    }

    @Test
    void everyCodeIsInSomeHeader() {
        Set<String> listed = new TreeSet<>();
        scripts().forEach(script -> listed.addAll(listedCodes(script)));
        assertThat(listed)
                .containsExactlyInAnyOrder(
                        Stream.of(ReplyCode.values()).map(ReplyCode::name).toArray(String[]::new));
    }

    private static ServerConnection nowhere() {
        return new ServerConnection(
                null,
                Login.fixed(new RedisURI()),
                "nowhere:1",
                "run",
                false,
                Redirector.NONE,
                new KeySpace("boltwork"),
                new Errors("Redis at nowhere:1", false),
                List.of(),
                null,
                Runnable::run,
                new DirectConnections(nanos -> null, 0, 0));
    }

    @Test
    void theHeadersListWhatJavaSends() {
        ServerConnection connection = nowhere();
        Acquire next = new Acquire("l", "a:2", true, 1, 2, 3);
        Renew.Item item = new Renew.Item("l", "a:1", 1, 2, 3);
        check(Script.ACQUIRE, ScriptCall.of(connection, next, r -> {}));
        check(Script.RELEASE, ScriptCall.of(connection, new Release("l", "a:1", 1, 2, 3, null), r -> {}));
        check(Script.RELEASE, ScriptCall.of(connection, new Release("l", "a:1", 1, 2, 3, next), r -> {}));
        check(Script.RESTORE, ScriptCall.of(connection, new Restore("l", "a:1", 1, 2, 3, 4), r -> {}));
        check(Script.WITHDRAW, ScriptCall.of(connection, new Withdraw("l", null, 0), r -> {}));
        check(Script.FORCE_RELEASE, ScriptCall.of(connection, new ForceRelease("l", 0), r -> {}));
        ClientRecord clientRecord = new ClientRecord("a", "shop", "host", 42, 1, 1);
        check(Script.ANNOUNCE, ScriptCall.of(connection, new Announce(clientRecord, 1, "n"), r -> {}));
        check(Script.PROBE, new ProbeCall(connection, "boltwork:{1}", "boltwork:grants:{1}:a", "probe"));
        assertThat(words(new ProbeCall(connection, null, "boltwork:grants:a", "probe"))
                        .subList(2, 5))
                .containsExactly("0", "boltwork:grants:a", "probe");

        assertThat(listed(Script.RENEW, "KEYS")).containsExactly("n");
        assertThat(listed(Script.RENEW, "ARGV")).containsExactly("1", "2", "3", "4", "5", "6");
        List<String> same = words(ScriptCall.renew(connection, new Renew(List.of(item, item, item), 1), r -> {}));
        assertThat(same.get(2)).isEqualTo("3");
        assertThat(same)
                .hasSize(3 + 3 + 6)
                .containsSequence("1", "a:", "2", "3", "600000")
                .endsWith(packed("1", 1, "1", 1, "1", 1));
        Renew.Item longer = new Renew.Item("l", "b:1", 1, 3, 3);
        List<String> differing = words(ScriptCall.renew(connection, new Renew(List.of(item, longer), 1), r -> {}));
        assertThat(differing)
                .hasSize(3 + 2 + 6)
                .containsSequence("1", "", "", "", "600000")
                .endsWith(packed("a:1", 1, 2, 3, "b:1", 1, 3, 3));
    }

    @Test
    void theHeadersOfSharedLocksListWhatJavaSends() {
        ServerConnection connection = nowhere();
        HeldShare held = new HeldShare(new Share(LockKind.SEMAPHORE, 11, 12, 13), 14, 15);
        Acquire next = new Acquire("l", "a:2", true, 21, 22, 23, new Share(LockKind.SEMAPHORE, 24, 25, 26));
        Acquire attempt = new Acquire("l", "a:2", false, 21, 22, 23, next.share());
        assertThat(sent(connection, Script.SHARE_ACQUIRE, next))
                .containsExactly("a:2", "21", "22", "1", "23", "24", "25", "26", "600000", "run");
        assertThat(sent(connection, Script.SHARE_ACQUIRE, attempt)).element(3).isEqualTo("0");
        assertThat(sent(connection, Script.SHARE_RELEASE, new Release("l", "a:1", 1, 2, 3, next, held)))
                .startsWith("a:1", "1", "2", "14", "11", "12", "3", "15")
                .endsWith("a:2", "21", "22", "23", "24", "25", "26", "600000", "run");
        assertThat(sent(connection, Script.SHARE_RELEASE, new Release("l", "a:1", 1, 2, 3, null, held)))
                .endsWith("15", "", "0", "0", "0", "0", "0", "0", "600000", "run");
        assertThat(sent(connection, Script.SHARE_RESTORE, new Restore("l", "a:1", 1, 2, 3, 4, held)))
                .containsExactly("a:1", "1", "14", "2", "3", "4", "11", "12", "13", "600000", "run");
        assertThat(sent(connection, Script.SHARE_WITHDRAW, new Withdraw("l", null, 0, held)))
                .containsExactly("", "15", "600000", "run");
        assertThat(sent(connection, Script.SHARE_FORCE_RELEASE, new ForceRelease("l", 7, LockKind.SEMAPHORE)))
                .containsExactly("7", "600000", "run");
        assertThat(sent(connection, Script.SHARE_RESIZE, new Resize("l", LockKind.SEMAPHORE, 9)))
                .containsExactly("9", "600000", "run");

        assertThat(listed(Script.SHARE_RENEW, "KEYS")).containsExactly("n");
        assertThat(listed(Script.SHARE_RENEW, "ARGV")).containsExactly("1", "2", "3", "4");
        Renew.Item one = new Renew.Item("l", "a:1", 1, 2, 3, held.share());
        Renew.Item other = new Renew.Item("l", "b:1", 4, 5, 6, Share.READ);
        List<String> renewal = words(ScriptCall.of(connection, new Renew(List.of(one, other), 7), r -> {}));
        assertThat(renewal.subList(0, 3)).containsExactly("EVALSHA", sha(Script.SHARE_RENEW), "2");
        assertThat(renewal.subList(3, renewal.size()))
                .containsExactly(
                        "boltwork:semaphore:{l}",
                        "boltwork:readwrite:{l}",
                        "7",
                        "600000",
                        packed("a:1", 1, 2, 3, 11, 12, 13, "b:1", 4, 5, 6, 1, Integer.MAX_VALUE, 0),
                        "run");
    }

    @Test
    void theHeadersOfLatchesListWhatJavaSends() {
        ServerConnection connection = nowhere();
        ScriptCall<?> set = ScriptCall.of(connection, new LatchCommand.SetCount("l", "a:1", 2, 3, 4, 5), r -> {});
        check(Script.LATCH_SET, set);
        assertThat(words(set).subList(3, words(set).size()))
                .containsExactly("boltwork:latch:{l}", "a:1", "2", "3", "4", "5", "run");
        ScriptCall<?> count = ScriptCall.of(connection, new LatchCommand.CountDown("l", "a:1", 3, 4, 5), r -> {});
        check(Script.LATCH_COUNT, count);
        assertThat(words(count)).endsWith("boltwork:latch:{l}", "a:1", "3", "4", "5", "run");
        ScriptCall<?> await = ScriptCall.of(connection, new LatchCommand.Await("l", "a", 3, true), r -> {});
        check(Script.LATCH_AWAIT, await);
        assertThat(words(await)).endsWith("boltwork:latch:{l}", "a", "3", "1");
    }

    @Test
    void theHeadersOfVotesListWhatJavaSends() {
        ServerConnection connection = nowhere();
        ScriptCall<?> vote = ScriptCall.of(connection, new VoteCommand.Vote("l", "a:1", 2, 3, 4, true), r -> {});
        check(Script.VOTE, vote);
        assertThat(words(vote)).endsWith("boltwork:{l}", "a:1", "2", "3", "4", "1", "600000");
        ScriptCall<?> other = ScriptCall.of(connection, new VoteCommand.Vote("l", "a:1", 2, 3, 4, false), r -> {});
        assertThat(words(other)).endsWith("4", "0", "600000");
        ScriptCall<?> raise = ScriptCall.of(connection, new VoteCommand.Raise("l", "a:1", 2, 3), r -> {});
        check(Script.RAISE, raise);
        assertThat(words(raise)).endsWith("boltwork:{l}", "a:1", "2", "3");
        ScriptCall<?> back = ScriptCall.of(connection, new VoteCommand.GiveBack("l", "a:1", 2, 3, 4, 5), r -> {});
        check(Script.GIVE_BACK, back);
        assertThat(words(back)).endsWith("boltwork:{l}", "a:1", "2", "3", "4", "5", "600000", "run");
        ScriptCall<?> witness = ScriptCall.of(connection, new Witness("r", 2), r -> {});
        check(Script.WITNESS, witness);
        assertThat(words(witness)).endsWith("boltwork:uptime", "r", "2");
    }

    /** Checks a call against the header of its script, and returns the arguments. */
    private static List<String> sent(ServerConnection connection, Script script, Command<?> command) {
        ScriptCall<?> call = ScriptCall.of(connection, command, r -> {});
        check(script, call);
        assertThat(words(call)).element(3).isEqualTo("boltwork:semaphore:{l}");
        return words(call).subList(4, words(call).size());
    }

    private static void check(Script script, EvalCall call) {
        List<String> sent = words(call);
        int keys = listed(script, "KEYS").size();
        int arguments = listed(script, "ARGV").size();
        assertThat(listed(script, "ARGV").get(arguments - 1)).isEqualTo("" + arguments);
        assertThat(sent.subList(0, 3)).containsExactly("EVALSHA", sha(script), "" + keys);
        assertThat(sent).hasSize(3 + keys + arguments);
    }

    private static String sha(Script script) {
        return new String(script.sha(), StandardCharsets.US_ASCII);
    }

    /** Encodes in simple MessagePack: texts are short here and numbers take eight bytes. */
    private static String packed(Object... elements) {
        ByteBuf out = Unpooled.buffer().writeByte(0xdc).writeShort(elements.length);
        for (Object element : elements) {
            if (element instanceof String text) {
                out.writeByte(0xa0 + text.length()).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
            } else {
                out.writeByte(0xd3).writeLong(((Number) element).longValue());
            }
        }
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    /** Returns the words of a command as sent over the wire; a byte is a character, because some are no text. */
    private static List<String> words(EvalCall call) {
        ByteBuf out = Unpooled.buffer();
        call.encode(out);
        String[] lines = out.toString(StandardCharsets.ISO_8859_1).split("\r\n", -1);
        List<String> words = new java.util.ArrayList<>();
        for (int i = 2; i < lines.length; i += 2) {
            assertThat(lines[i - 1]).isEqualTo("$" + lines[i].getBytes(StandardCharsets.ISO_8859_1).length);
            words.add(lines[i]);
        }
        assertThat(lines[0]).isEqualTo("*" + words.size());
        return words;
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void theScriptsKnowTheConstantsOfTheBackend(Script script) {
        String text = new String(script.text(), StandardCharsets.UTF_8);
        Matcher block = Pattern.compile("\\+ (999|1000)\\b").matcher(text);
        while (block.find()) {
            assertThat(Integer.parseInt(block.group(1))).isEqualTo(LockBackend.TOKENS_PER_HOLD - 1);
        }
        Matcher claim = Pattern.compile("math\\.min\\(lease, (\\d+)\\)").matcher(text);
        while (claim.find()) {
            assertThat(Long.parseLong(claim.group(1))).isEqualTo(LockBackend.CLAIM_MILLIS);
        }
        areAll(LockBackend.SHORT_CLAIM_MILLIS, "math\\.min\\(claimed, (\\d+)\\)", text);
        areAll(LockBackend.SHORT_CLAIMS_LAST_MILLIS, "short (?:<=|= now \\+) (\\d+)", text);
        areAll(LockBackend.PLACES_PER_STEP, "\\{left = (\\d+)\\}", text);
        areAll(LockBackend.GRANTS_PER_STEP, "grants >= (\\d+)", text);
        areAll(LockBackend.SILENCE_MILLIS, "now - asked < (\\d+)", text);
        areAll(IdleLife.SET_MILLIS, "set > 0 and (\\d+)", text);
    }

    private static void areAll(long expected, String pattern, String text) {
        Matcher number = Pattern.compile(pattern).matcher(text);
        while (number.find()) {
            assertThat(Long.parseLong(number.group(1))).isEqualTo(expected);
        }
    }

    @Test
    void theServerComputesTheSameSha1ForTheScripts() {
        try (RedisServer redis = RedisServer.start()) {
            scripts()
                    .forEach(script -> assertThat(
                                    redis.command("SCRIPT", "LOAD", new String(script.text(), StandardCharsets.UTF_8)))
                            .isEqualTo(sha(script)));
        }
    }

    @Test
    void aScriptThatTheServerHasForgottenIsSentAgain() {
        try (RedisServer redis = RedisServer.start();
                Client client = Client.open("a", redis.uri())) {
            long token = client.acquire("l", "a:1").token();
            redis.command("SCRIPT", "FLUSH");
            assertThat(client.acquire("l", "a:1").token()).isEqualTo(token);
            assertThat(redis.command("SCRIPT", "EXISTS", sha(Script.ACQUIRE))).isEqualTo(List.of(1L));
            assertThat(client.release("l", "a:1", token).owner()).isNull();
        }
    }
}
