// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Loads all of Boltwork and its tests anew, with the classes of one source file as a {@link Mutant} has them. */
final class MutantLoader extends ClassLoader {

    private static final String OURS = "io.boltwork.";

    private final Map<String, byte[]> mutated;

    MutantLoader(Mutant mutant) throws IOException {
        super(MutantLoader.class.getClassLoader());
        mutated = compile(mutant);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = mutated.get(name);
        if (bytes == null) {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                bytes = in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static Map<String, byte[]> compile(Mutant mutant) throws IOException {
        Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        StringWriter messages = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean done = compiler.getTask(
                            messages,
                            new InMemory(files, classes),
                            null,
                            List.of(
                                    "-proc:none",
                                    "-nowarn",
                                    "--release",
                                    "17",
                                    "-classpath",
                                    System.getProperty("java.class.path")),
                            null,
                            List.of(new Source(mutant.className(), mutant.source())))
                    .call();
            if (!done) {
                throw new IllegalStateException(mutant.name() + " does not compile:\n" + messages);
            }
        }
        Map<String, byte[]> bytes = new HashMap<>();
        classes.forEach((name, out) -> bytes.put(name, out.toByteArray()));
        return bytes;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("mutant:///" + name.replace('.', '/') + Kind.SOURCE.extension), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes;

        InMemory(JavaFileManager files, Map<String, ByteArrayOutputStream> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            classes.put(name, out);
            return new SimpleJavaFileObject(URI.create("mutant:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return out;
                }
            };
        }
    }
}
