package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// authority makes an authority of its own, and returns the files of it and of a certificate and key for 127.0.0.1, which serve bsond
// and clients alike
func authority(t *testing.T, name string) (ca, certificate, key string) {
	t.Helper()
	dir := t.TempDir()
	file := func(name, kind string, b []byte, err error) string {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := func(template *x509.Certificate) ([]byte, error) {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: template.NotBefore, NotAfter: template.NotAfter, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
		if template.IsCA {
			template = root
		}
		return x509.CreateCertificate(rand.Reader, template, root, &secret.PublicKey, secret)
	}
	b, err := made(&x509.Certificate{IsCA: true})
	ca = file("ca", "CERTIFICATE", b, err)
	b, err = made(&x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "bsond"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
	certificate = file("certificate", "CERTIFICATE", b, err)
	b, err = x509.MarshalPKCS8PrivateKey(secret)
	return ca, certificate, file("key", "PRIVATE KEY", b, err)
}

// With a certificate bsond speaks TLS only; with authorities, only to clients that have a certificate of theirs. A password comes
// in clear text through TLS, and not without it.
func TestTLS(t *testing.T) {
	ca, certificate, key := authority(t, "good")
	otherCA, otherCertificate, otherKey := authority(t, "other")
	people(t)
	ctx := context.Background()
	for _, certificates := range []bool{false, true} {
		s := settings{auth: true, certificate: certificate, key: key}
		if certificates {
			s.ca = ca
		}
		address := begin(t, s)
		for _, each := range []struct {
			what, ca, certificate, key, user, more string
			good                                   bool
		}{
			{"no certificate", ca, "", "", "bsond_alice:p%C3%ABncil%3D%2C@", "", !certificates},
			{"a certificate", ca, certificate, key, "bsond_alice:p%C3%ABncil%3D%2C@", "", true},
			{"another's certificate", ca, otherCertificate, otherKey, "bsond_bob:lamp@", "", !certificates},
			{"PLAIN", ca, certificate, key, "bsond_bob:lamp@", "authMechanism=PLAIN&authSource=$external", true},
			{"PLAIN, wrong password", ca, certificate, key, "bsond_bob:lump@", "authMechanism=PLAIN&authSource=$external", false},
			{"PLAIN, whom PostgreSQL trusts", ca, certificate, key, "bsond_mallory:known@", "authMechanism=PLAIN&authSource=$external", false},
			{"a certificate alone", ca, certificate, key, "", "", false},
			{"an authority that the client does not know", otherCA, certificate, key, "bsond_bob:lamp@", "", false},
			{"no TLS", "", "", "", "bsond_bob:lamp@", "", false},
		} {
			config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
			if b, err := os.ReadFile(each.ca); err == nil && !config.RootCAs.AppendCertsFromPEM(b) {
				t.Fatal("no authority")
			}
			if each.certificate != "" {
				pair, err := tls.LoadX509KeyPair(each.certificate, each.key)
				if err != nil {
					t.Fatal(err)
				}
				// whatever authorities bsond asks for
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
			}
			more := options.Client()
			if each.ca != "" {
				more.SetTLSConfig(config)
			}
			if !each.good {
				more.SetServerSelectionTimeout(2 * time.Second)
			}
			client := connect(t, fmt.Sprintf("mongodb://%s%s/?%s", each.user, address, each.more), more)
			var status struct {
				AuthInfo struct{ AuthenticatedUsers []struct{ User string } }
			}
			err := client.Database("admin").RunCommand(ctx, bson.D{{Key: "listDatabases", Value: 1}}).Err()
			if (err == nil) != each.good {
				t.Errorf("certificates asked for %v, %s: %v", certificates, each.what, err)
			}
			if each.good {
				user, _, _ := strings.Cut(each.user, ":")
				err = client.Database("admin").RunCommand(ctx, bson.D{{Key: "connectionStatus", Value: 1}}).Decode(&status)
				if err != nil || len(status.AuthInfo.AuthenticatedUsers) != 1 || status.AuthInfo.AuthenticatedUsers[0].User != user {
					t.Errorf("%s: %v, %v", each.what, status, err)
				}
			}
		}
	}
	for what, s := range map[string]settings{"a certificate without its key": {certificate: certificate, key: ca}, "another's key": {certificate: certificate, key: otherKey},
		"authorities alone": {ca: ca}, "no authority": {certificate: certificate, key: key, ca: key}} {
		s.listen = "127.0.0.1:0"
		if l, _, err := listen(&s); err == nil {
			l.Close()
			t.Errorf("%s: bsond listens", what)
		}
	}
}
