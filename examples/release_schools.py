import mollify as mo
import polars as pl

pupils = pl.read_csv("data/schools.csv")         # private: thousands of pupils of 160 schools
roster = pl.read_csv("data/schools_roster.csv")  # public
domain = mo.Domain.read("data/schools.yaml")     # public: what a record can be, and what other values become
method = mo.Local(domain, unit="school", units=roster, epsilon=2)
print(method.check(pupils))                      # NOT PRIVATE, for you alone: which values become others
release = method.sample(pupils)
print(pl.DataFrame(release).head(3))
release.certificate.write("build/schools.json", overwrite=True)
print(mo.verify("build/schools.json", domain).holds)
