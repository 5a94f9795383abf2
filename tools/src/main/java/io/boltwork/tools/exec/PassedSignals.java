// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * The signals that this JVM receives and passes on. Java has no public API for them, and the compiler warns about the one of
 * {@code jdk.unsupported} whatever is suppressed, so it is called by reflection.
 */
final class PassedSignals {
    private static final List<String> PASSED = List.of("INT", "TERM", "HUP", "USR1");

    private PassedSignals() {}

    /** Calls a receiver with the name of each signal from now on, on a thread of its own, in place of ending the JVM. */
    static void receive(Consumer<String> receiver) {
        PASSED.forEach(name -> handle(name, receiver));
        // Ctrl-Z would stop this JVM but not the command, and then the lease would end
        handle("TSTP", ignored -> {});
    }

    private static void handle(String name, Consumer<String> receiver) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Method handle = signal.getMethod("handle", signal, handler);
            InvocationHandler call = (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                    receiver.accept(name);
                    return null;
                }
                return method.getName().equals("equals") ? (Object) (proxy == args[0]) : System.identityHashCode(proxy);
            };
            Object ours = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, call);
            Object number = signal.getConstructor(String.class).newInstance(name);
            Object before = handle.invoke(null, number, ours);
            Object ignoring = handler.getField("SIG_IGN").get(null);
            if (before == ignoring) { // started by nohup, for example
                handle.invoke(null, number, ignoring);
            }
        } catch (ReflectiveOperationException unknownHere) {
            // a system without this signal; the JVM goes on as usual
        }
    }
}
